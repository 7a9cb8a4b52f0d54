import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmailSettings, email } from '../../../src/adapters/email/index.js';
import { type Adapter, AdapterError, type HandoffSession } from '../../../src/bridge/index.js';
import { logLines } from '../../helpers/log-lines.js';
import { tcpProxy } from '../../helpers/tcp-proxy.js';
import { until } from '../request-tracker/rt/until.js';
import { settingsFor } from './live-settings.js';
import { conversationMails, conversationTokens, mailAgent } from './mail-server/mail-agent.js';
import {
  addressOf,
  describeWithMail,
  type MailServer,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const logged = logLines();
const call = { signal: new AbortController().signal, log: logged.log };

let sessions = 0;
const newSession = (): HandoffSession => {
  sessions += 1;
  return {
    key: `key ${sessions}`,
    conversationId: `conversation ${sessions}`,
    bot: 'default',
    user: { key: 'user', userId: 'user', anonymousId: null, email: null, phone: null },
    botId: null,
    transcript: [{ from: 'user', text: 'Where is it?' }],
    requestedAt: new Date(),
    replyBy: new Date(),
  };
};

const ref = {
  conversationId: 'c',
  bot: 'default',
  externalId: '0123456789abcdef',
  url: null,
  extra: {},
  user: newSession().user,
};
const message = { key: 'message', text: 'Hello?', sentAt: null };

/** Every call that sends. */
const sendingCalls = (adapter: Adapter): Promise<unknown>[] => [
  adapter.open(newSession(), call),
  adapter.send(ref, message, call),
  adapter.close(ref, { by: 'user', text: 'The user has left.' }, call),
];
/** Every call that reads. */
const readingCalls = (adapter: Adapter): Promise<unknown>[] => [
  adapter.find(newSession(), call),
  Promise.resolve(adapter.poll?.(null, call)),
];

const kindsOf = async (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === 'rejected' && result.reason instanceof AdapterError ? result.reason.kind : result,
  );

describeWithMail('failures of the mail server', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server?.remove());
  const adapterWith = (changes: Partial<EmailSettings> = {}): Adapter => email(settingsFor(server, changes));

  it('451 is transient', async () => {
    const end = server.trouble('postpone');
    expect(await kindsOf(sendingCalls(adapterWith()))).toEqual(['transient', 'transient', 'transient']);
    end();
  });

  it('550 for an address needs an operator', async () => {
    const end = server.trouble('refuseAddress');
    expect(await kindsOf(sendingCalls(adapterWith()))).toEqual(['auth', 'auth', 'auth']);
    end();
  });

  it('550 for a text is not tried again', async () => {
    const end = server.trouble('refuseContent');
    expect(await kindsOf(sendingCalls(adapterWith()))).toEqual(['invalid', 'invalid', 'invalid']);
    end();
  });

  it('a wrong password needs an operator, and check says so', async () => {
    const adapter = adapterWith({
      smtpUrl: server.smtpUrl('handoff', server.smtpPort, 'wrong'),
      imapUrl: server.imapUrl('handoff', server.imapPort, 'wrong'),
    });
    expect(await kindsOf([...sendingCalls(adapter), ...readingCalls(adapter)])).toEqual(
      Array(5).fill('auth'),
    );
    expect(await adapter.check(call)).toEqual([
      { name: 'smtp', ok: false, detail: expect.stringContaining('Check user and password of smtpUrl') },
      { name: 'imap', ok: false, detail: expect.stringContaining('Check user and password of imapUrl') },
    ]);
  });

  it('a server that is away is transient', async () => {
    const adapter = adapterWith({
      smtpUrl: server.smtpUrl('handoff', 9),
      imapUrl: server.imapUrl('handoff', 9),
    });
    expect(await kindsOf([...sendingCalls(adapter), ...readingCalls(adapter)])).toEqual(
      Array(5).fill('transient'),
    );
  });

  it('a folder that does not exist is named', async () => {
    const adapter = adapterWith({ mailbox: 'Replies' });
    expect(await adapter.check(call)).toContainEqual({
      name: 'imap',
      ok: false,
      detail: expect.stringContaining('"Replies"'),
    });
  });

  it('a certificate that is not trusted gets no mail and no password', async () => {
    const { ca: _, ...untrusting } = settingsFor(server);
    const adapter = email(untrusting);
    expect(await kindsOf([...sendingCalls(adapter), ...readingCalls(adapter)])).toEqual(
      Array(5).fill('transient'),
    );
    const results = await adapter.check(call);
    expect(results.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('no TLS that can be trusted'),
      expect.stringContaining('no TLS that can be trusted'),
    ]);
  });

  it('TLS from the start works, too', async () => {
    const imapUrl = server.imapUrl('handoff', server.imapsPort).replace('imap://', 'imaps://');
    const smtpUrl = server.smtpUrl('handoff', server.smtpsPort).replace('smtp://', 'smtps://');
    const results = await adapterWith({ imapUrl, smtpUrl }).check(call);
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  describe('a lost answer to the first mail', () => {
    const openLosing = async (changes: Partial<EmailSettings>) => {
      const proxy = await tcpProxy(server.smtpPort);
      const adapter = adapterWith({ smtpUrl: `smtp://127.0.0.1:${proxy.port}?tls=off`, ...changes });
      const session = newSession();
      proxy.loseAnswerTo('\r\n.\r\n');
      expect(await kindsOf([adapter.open(session, call)])).toEqual(['transient']);
      await server.settled();
      return { adapter, session };
    };

    it('is found out if the inbox of the team is the one that is read', async () => {
      const { adapter, session } = await openLosing({ team: addressOf('handoff') });
      expect(await adapter.find(session, call)).toMatchObject({ externalId: expect.any(String) });
      expect(await adapter.find(newSession(), call)).toBeNull();
    });

    it('is found out when an agent has replied', async () => {
      const { adapter, session } = await openLosing({});
      const token = (await conversationTokens(server)).at(-1) ?? '';
      expect(await adapter.find(session, call)).toBeNull();
      await mailAgent(server, 'ann').reply(token, 'Hello');
      await server.settled();
      expect(await adapter.find(session, call)).toMatchObject({ externalId: token });
    });

    it('otherwise repeats the mail with the same Message-ID', async () => {
      const { adapter, session } = await openLosing({});
      expect(await adapter.find(session, call)).toBeNull();
      const { externalId } = await adapter.open(session, call);
      await server.settled();
      const ids = (await conversationMails(server, externalId)).map(({ messageId }) => messageId);
      expect(ids).toEqual([`<handoff-kit.${externalId}.open@example.com>`, ids[0]]);
    });
  });

  it('a poll that is repeated, because its events were not stored, returns them again', async () => {
    const adapter = adapterWith();
    const { cursor = '' } = (await adapter.poll?.(null, call)) ?? {};
    const { externalId } = await adapter.open(newSession(), call);
    await server.settled();
    await mailAgent(server, 'ann').reply(externalId, 'Hello');
    await server.settled();
    const read = async () =>
      (await adapter.poll?.(cursor, call))?.events.filter((event) => event.externalId === externalId);
    const first = await until('the reply', async () => {
      const events = await read();
      return events?.length === 1 && events;
    });
    expect(await read()).toEqual(first);
    await adapter.dispose?.();
  });

  it('check tells which servers have verified mails, if it is not the trusted one', async () => {
    await server.send({ from: addressOf('ann'), to: addressOf('handoff'), text: 'lunch?' }, 'ann');
    await server.settled();
    const [, , right] = await adapterWith().check(call);
    expect(right).toMatchObject({ name: 'senders', ok: true });
    const [, , wrong] = await adapterWith({ trustedServer: 'mx.example.com' }).check(call);
    expect(wrong).toMatchObject({
      ok: false,
      detail: expect.stringContaining('They are of mail.example.com.'),
    });
  });
});
