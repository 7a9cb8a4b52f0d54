import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type EmailSettings, email } from '../../../src/adapters/email/index.js';
import { type LiveProcess, startLiveProcess } from '../live-process.js';
import { until } from '../request-tracker/rt/until.js';
import { settingsFor } from './live-settings.js';
import { conversationMails, type MailAgent, mailAgent, shownText } from './mail-server/mail-agent.js';
import {
  addressOf,
  describeWithMail,
  type MailServer,
  passwordOf,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describeWithMail('a whole handoff through exim and dovecot', () => {
  let server: MailServer;
  let ann: MailAgent;
  let ben: MailAgent;
  let setup: LiveProcess;
  beforeAll(async () => {
    server = await startMailServer();
    ann = mailAgent(server, 'ann');
    ben = mailAgent(server, 'ben');
  });
  afterEach(() => setup?.end());
  afterAll(() => server?.remove());

  const begin = async (changes: Partial<EmailSettings> = {}) => {
    const settings = settingsFor(server, changes);
    setup = await startLiveProcess(() => email(settings), { agentNames: true, retry: { authWaitMs: 300 } });
  };
  const handOver = async () => {
    const { user, externalId: token } = await setup.handOver();
    await server.settled();
    return { user, token };
  };
  const seenByTeam = async (token: string) => (await conversationMails(server, token)).map(shownText);
  const untilTeamSees = (token: string, text: string) =>
    until(`the team to see ${text}`, async () => (await seenByTeam(token)).includes(text), 60_000);

  it('runs from the user to the agent and back, and ends with #close', async () => {
    await begin();
    const { user, token } = await handOver();
    const [opening] = await conversationMails(server, token);
    expect(opening?.text).toContain('Customer: Where is my parcel?\n\nAI: I will ask a colleague.');
    expect(opening?.subject).toBe(`Where is my parcel? [#${token}]`);
    await user.say('It is number 42 📦');
    await untilTeamSees(token, 'It is number 42 📦');
    const [first, second] = await conversationMails(server, token);
    expect(second?.inReplyTo).toBe(first?.messageId);

    await ann.reply(token, 'Let me look. 漢字 שלום\n\n-- \nAnn\nCustomer service');
    expect((await user.nextReply()).text).toBe('Ann Example: Let me look. 漢字 שלום');
    const html =
      '<p>It comes <b>today</b> &amp; on time.</p><blockquote type="cite">It is number 42</blockquote>';
    const attachments = [
      { filename: 'Rechnung März.pdf', content: 'a bill', contentType: 'application/pdf' },
    ];
    await ann.reply(token, '', { text: undefined, html, attachments });
    expect((await user.nextReply()).text).toBe(
      'Ann Example: It comes today & on time.\n\n[Attachment: Rechnung März.pdf (application/pdf)]',
    );

    await ann.reply(token, '#close\nGood bye!');
    expect((await user.nextReply()).text).toBe('Ann Example: Good bye!');
    await until('the end on the platform', () => user.endedBy === 'agent');
    await until('the team to be told', async () =>
      (await seenByTeam(token)).some((text) => text.includes('An agent has ended the conversation.')),
    );
    expect(user.replies).toHaveLength(3);
    // No mail was marked as read, and none is gone.
    expect(server.flags('handoff')).toEqual(['', '', '']);
  });

  it('takes the answers of two agents, in the order in which they arrive', async () => {
    await begin();
    const { user, token } = await handOver();
    await ann.reply(token, 'It is in Hamburg.');
    await server.settled();
    await ben.reply(token, 'No, in Bremen by now.');
    expect((await user.nextReply()).text).toBe('Ann Example: It is in Hamburg.');
    expect((await user.nextReply()).text).toBe('Ben Beispiel: No, in Bremen by now.');
  });

  it('tells the team in the thread that the user has left', async () => {
    await begin();
    const { user, token } = await handOver();
    await ann.reply(token, 'Hello');
    expect((await user.nextReply()).text).toBe('Ann Example: Hello');
    await user.closeByUser();
    await until('the notice', async () =>
      (await seenByTeam(token)).some((text) => text.startsWith('The user has left the conversation.')),
    );
    const [opening, ...others] = await conversationMails(server, token);
    expect(others.map(({ inReplyTo }) => inReplyTo)).toEqual([opening?.messageId]);
  });

  it('finds the conversation by the subject alone, and by the address alone', async () => {
    await begin({ replyAddress: 'handoff+{token}@example.com' });
    const { user, token } = await handOver();
    const bare = { inReplyTo: undefined, references: undefined };
    await ann.reply(token, 'by subject', {
      ...bare,
      to: addressOf('handoff'),
      subject: `AW: [#${token.toUpperCase()}]`,
    });
    expect((await user.nextReply()).text).toBe('Ann Example: by subject');
    await ann.reply(token, 'by address', { ...bare, subject: 'parcel' });
    expect((await user.nextReply()).text).toBe('Ann Example: by address');
  });

  it('loses nothing while our own process is stopped, and repeats nothing', async () => {
    await begin();
    const { user, token } = await handOver();
    await ann.reply(token, 'before');
    expect((await user.nextReply()).text).toBe('Ann Example: before');
    await setup.stopProcess();
    await ann.reply(token, 'meanwhile');
    await server.settled();
    await setup.startProcess();
    expect((await user.nextReply({ timeoutMs: 120_000 })).text).toBe('Ann Example: meanwhile');
    await ann.reply(token, 'after');
    expect((await user.nextReply()).text).toBe('Ann Example: after');
    expect(user.replies).toHaveLength(3);
  });

  it('loses nothing while the IMAP server is away', async () => {
    await begin();
    const { user, token } = await handOver();
    await ann.reply(token, 'before');
    expect((await user.nextReply()).text).toBe('Ann Example: before');
    await server.stopImap();
    await ann.reply(token, 'meanwhile');
    await until('a failed poll', () => setup.logged.text().includes('poll failed'));
    await server.startImap();
    expect((await user.nextReply({ timeoutMs: 120_000 })).text).toBe('Ann Example: meanwhile');
    expect(user.replies).toHaveLength(2);
  });

  it('reads the latest mails again when the server numbers them anew', async () => {
    await begin();
    const { user, token } = await handOver();
    await ann.reply(token, 'before');
    expect((await user.nextReply()).text).toBe('Ann Example: before');
    await server.stopImap();
    server.renumber('handoff');
    await ann.reply(token, 'meanwhile');
    await server.settled();
    await server.startImap();
    expect((await user.nextReply({ timeoutMs: 120_000 })).text).toBe('Ann Example: meanwhile');
    expect(setup.logged.text()).toContain('numbered its mails anew');
    expect(user.replies).toHaveLength(2);
  });

  it('sends later, once and in order, what the SMTP server postpones', async () => {
    await begin();
    const { user, token } = await handOver();
    const end = server.trouble('postpone');
    await user.say('one');
    await user.say('two');
    await until('a failed attempt', () => setup.logged.text().includes('postponed a mail with 451'));
    end();
    await untilTeamSees(token, 'two');
    expect((await seenByTeam(token)).slice(1)).toEqual(['one', 'two']);
  });

  it('alerts the operator while the address of the team is refused, and keeps the messages', async () => {
    await begin();
    const { user, token } = await handOver();
    const end = server.trouble('refuseAddress');
    await user.say('one');
    await until('the alert', () => setup.logged.text().includes('refused the address of the team with 550'));
    expect((await setup.bench.requestHandoff()).state).toBe('busy');
    end();
    await untilTeamSees(token, 'one');
  });

  it('refuses forged senders', async () => {
    await begin();
    const { user, token } = await handOver();
    const refusals = () => setup.logged.text().split('it may be forged').length - 1;
    const results = 'mail.example.com; dmarc=pass header.from=example.com';
    const forged = { subject: `Re: [#${token}]`, to: addressOf('handoff'), text: 'Send me your password.' };
    // From outside, with the address of an agent.
    await server.send({ ...forged, from: addressOf('ann') });
    await server.send({ ...forged, from: addressOf('ann'), headers: { 'Authentication-Results': results } });
    // With the login of somebody else, and with an address that is not an agent's.
    await server.send({ ...forged, from: addressOf('ann') }, 'mallory');
    await server.send({ ...forged, from: addressOf('mallory') }, 'mallory');
    await until('the refusals', () => refusals() === 4);
    await ann.reply(token, 'I am genuine.');
    expect((await user.nextReply()).text).toBe('Ann Example: I am genuine.');
    expect(user.replies).toHaveLength(1);
  });

  it('passes on no automatic reply', async () => {
    await begin({
      team: [addressOf('team'), addressOf('away')],
      agents: ['@example.com'],
      trustedServer: null,
    });
    const { user, token } = await handOver();
    await until('the automatic reply', () => setup.logged.text().includes('it is an automatic reply'));
    await ann.reply(token, 'I am here.');
    expect((await user.nextReply()).text).toBe('Ann Example: I am here.');
    expect(user.replies).toHaveLength(1);
  });

  it('ends the conversation and alerts the operator when a mail to the team bounces', async () => {
    await begin({ team: 'broken@example.com' });
    const user = await setup.bench.requestHandoff();
    await until('the alert', () => setup.logged.text().includes('a mail did not reach the team'));
    await until('the end on the platform', () => user.endedBy === 'agent');
  });

  it('logs neither passwords nor texts', async () => {
    await begin();
    const { user, token } = await handOver();
    await user.say('a private question');
    await untilTeamSees(token, 'a private question');
    await ann.reply(token, 'a private answer');
    expect((await user.nextReply()).text).toBe('Ann Example: a private answer');
    for (const hidden of [
      'private',
      passwordOf('handoff'),
      encodeURIComponent(passwordOf('handoff')),
      'parcel',
    ]) {
      expect(setup.logged.text()).not.toContain(hidden);
    }
  });
});
