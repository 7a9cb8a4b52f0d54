import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { serve } from '../helpers/serve.js';
import { sqliteEngine } from '../helpers/sqlite-store.js';
import { eventually, stage } from './contract/stage.js';

const API_KEY = 'api-key-of-bot-1';
const CONVERSATIONS = 10;

/** The simulated platform, and a receiver that answers every message. */
async function startAll(whenUnknown: 'resend' | 'dead-letter') {
  const simulator = createSimulator({ bots: [{ id: 'bot-1', apiKey: API_KEY }] });
  const baseUrl = await simulator.listen();
  onTestFinished(() => simulator.close());
  const platform = { baseUrl, apiKey: API_KEY, retry: false, timeoutMs: 2_000 } as const;
  const to = await (await stage(sqliteEngine)).receive(platform, { outbox: { whenUnknown, maxDelayMs: 50 } });
  to.receiver.on('handoff.message', ({ payload, reply }) => reply(payload.body));
  await to.start();
  const { url } = await serve(to.receiver);
  simulator.bots.update('bot-1', { humanServices: [{ componentId: 'desk', url }] });
  const conversations = await Promise.all(
    Array.from({ length: CONVERSATIONS }, () => simulator.requestHandoff()),
  );
  return { simulator, conversations, to };
}

/** How often each conversation meets each kind of outage. */
const STRIKES = { answerNothing: 1, answerError: 3, answerThrottle: 1 } as const;

/** Users keep talking while the platform answers replies with one fault after another, then normally. */
async function talkThrough(
  { simulator, conversations }: Awaited<ReturnType<typeof startAll>>,
  phases: readonly (keyof typeof STRIKES)[],
) {
  const said: string[] = [];
  let over = false;
  const talking = (async () => {
    for (let number = 0; !over; number += 1) {
      const text = `message ${number}`;
      said.push(text);
      const answers = await Promise.all(conversations.map((conversation) => conversation.say(text)));
      expect(answers.map(({ status }) => status)).toEqual(conversations.map(() => 200));
      await sleep(20);
    }
  })();
  for (const phase of phases) {
    simulator.faults.set(phase, { on: ['reply'], times: STRIKES[phase] * CONVERSATIONS });
    await eventually(() => expect(simulator.faults.active()).toEqual({}));
  }
  over = true;
  await talking;
  return said;
}

describe('an outage of the platform', () => {
  it('delays replies, and neither loses, repeats nor reorders them', async () => {
    const all = await startAll('resend');
    const said = await talkThrough(all, ['answerNothing', 'answerError', 'answerThrottle']);
    expect(said.length).toBeGreaterThan(3);
    // The simulator accepts no reply that it does not answer, so a repeat would be the receiver's mistake.
    await eventually(() => {
      for (const { replies } of all.conversations) expect(replies.map(({ text }) => text)).toEqual(said);
    });
    await eventually(async () =>
      expect(await all.to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(all.to.reports).toEqual([]);
  });

  it('makes replies with an unknown outcome dead letters, if the policy says so', async () => {
    const all = await startAll('dead-letter');
    const said = await talkThrough(all, ['answerNothing', 'answerError']);
    await eventually(async () => {
      expect(await all.to.queues.depth('inbox')).toMatchObject({ waiting: 0 });
      expect(await all.to.queues.depth('outbox')).toMatchObject({ waiting: 0 });
    });
    const deadLetters = await all.to.queues.list('outbox', { state: 'dead', limit: 100_000 });
    for (const { id, replies } of all.conversations) {
      const arrived = replies.map(({ text }) => text);
      expect(arrived).toEqual(said.filter((text) => arrived.includes(text)));
      const missing = deadLetters.filter(({ conversationId }) => conversationId === id);
      expect(arrived.length + missing.length).toBe(said.length);
    }
    expect(all.to.reports.length).toBe(deadLetters.length);
    expect(deadLetters.length).toBeGreaterThan(0);
  });
});
