import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { requestTracker, requestTrackerScrip } from '../../../src/adapters/request-tracker/index.js';
import { type LiveProcess, startLiveProcess } from '../live-process.js';
import { type RtAgent, rtAgent } from './rt/rt-agent.js';
import { describeWithRt, type Rt, startRt } from './rt/start-rt.js';
import { until } from './rt/until.js';

// RT is slow, especially on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const SECRET = 'the secret of the Scrip';
/** Longer than a test, so that nothing is polled. */
const NEVER_MS = 3_600_000;

describeWithRt('a whole handoff through a real Request Tracker', () => {
  let rt: Rt;
  let ada: RtAgent;
  let world: LiveProcess;
  beforeAll(async () => {
    rt = await startRt();
    ada = rtAgent(rt, rt.agent);
  });
  afterAll(async () => {
    await world?.end();
    await rt?.remove();
  });

  const begin = async (pollEveryMs: number) => {
    await world?.end();
    const { url, queue } = rt;
    const settings = { url, token: rt.kit.token, queue, webhookSecret: SECRET, pollEveryMs };
    world = await startLiveProcess(() => requestTracker(settings));
    const { datafile } = requestTrackerScrip({ url: world.hookUrl, secret: SECRET, queue });
    expect(rt.install(datafile)).toMatch(/(Created|Updated) Scrip \d+/);
  };

  const handOver = async () => {
    const { user, externalId: ticket } = await world.handOver();
    return { user, ticket };
  };

  const saidInTicket = async (ticket: string) =>
    (await ada.read(ticket)).history
      .filter(({ type }) => type === 'Correspond')
      .map(({ by, text }) => ({ by, text }));

  it('runs from the user to the agent and back, and ends when the agent resolves the ticket', async () => {
    await begin(NEVER_MS);
    const { user, ticket } = await handOver();
    expect((await ada.read(ticket)).history[0]?.text).toContain(
      'Customer: Where is my parcel?\n\nAI: I will ask a colleague.',
    );
    await user.say('It is number 42 📦');
    await until('the message in the ticket', async () => (await saidInTicket(ticket)).length === 1);
    expect(await saidInTicket(ticket)).toEqual([{ by: rt.kit.login, text: 'It is number 42 📦' }]);

    await ada.reply(ticket, 'Let me look. 漢字 שלום');
    expect((await user.nextReply()).text).toBe('Let me look. 漢字 שלום');
    await ada.comment(ticket, 'This customer again…');
    await ada.replyInBrowser(ticket, '<p>It comes <b>today</b> &amp; on time.</p><p>Ada</p>');
    expect((await user.nextReply()).text).toBe('It comes today & on time.\n\nAda');

    await ada.replyAndSetStatus(ticket, 'Good bye!', 'resolved');
    expect((await user.nextReply()).text).toBe('Good bye!');
    await until('the end on the platform', () => user.state === 'closed');
    expect(user.replies.map(({ text }) => text).join()).not.toContain('This customer');
    expect(await saidInTicket(ticket)).toHaveLength(4);
    expect((await ada.read(ticket)).status).toBe('resolved');
  });

  it('closes the ticket when the user leaves', async () => {
    const { user, ticket } = await handOver();
    await ada.reply(ticket, 'Hello');
    expect((await user.nextReply()).text).toBe('Hello');
    await user.closeByUser();
    await until('the ticket to be resolved', async () => (await ada.read(ticket)).status === 'resolved');
    await until('the reason', async () =>
      (await ada.read(ticket)).history.some(({ type }) => type === 'Comment'),
    );
    expect(user.replies).toHaveLength(1);
  });

  it('loses nothing while RT is stopped', async () => {
    const { user, ticket } = await handOver();
    await rt.stop();
    await user.say('one');
    await user.say('two');
    await until('a failed attempt', () => world.logged.text().includes('did not answer'));
    await rt.start();
    await until('both messages', async () => (await saidInTicket(ticket)).length === 2, 60_000);
    expect((await saidInTicket(ticket)).map(({ text }) => text)).toEqual(['one', 'two']);
    await ada.reply(ticket, 'Back again');
    expect((await user.nextReply()).text).toBe('Back again');
    await ada.setStatus(ticket, 'resolved');
    await until('the end on the platform', () => user.state === 'closed');
  });

  it('refuses the handoff when RT is stopped', async () => {
    await rt.stop();
    const user = await world.bench.requestHandoff();
    expect(user.state).toBe('busy');
    await rt.start();
  });

  it('loses nothing while our own process is stopped', async () => {
    await begin(200);
    const { user, ticket } = await handOver();
    await world.stopProcess();
    await ada.reply(ticket, 'sent while down');
    await ada.replyAndSetStatus(ticket, 'and good bye', 'resolved');
    await world.startProcess();
    expect((await user.nextReply({ timeoutMs: 120_000 })).text).toBe('sent while down');
    expect((await user.nextReply()).text).toBe('and good bye');
    await until('the end on the platform', () => user.state === 'closed');
    expect(user.replies).toHaveLength(2);
  });

  it('logs neither secrets nor message texts', () => {
    const text = `${world.logged.text()}\n${rt.log()}`;
    for (const hidden of [SECRET, rt.kit.token, 'sent while down', 'parcel'])
      expect(text).not.toContain(hidden);
  });
});
