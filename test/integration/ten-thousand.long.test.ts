import { expect, it, onTestFinished } from 'vitest';
import type { HandlerContexts } from '../../src/events/index.js';
import { createReceiver, inline, pathToken, webhookUser } from '../../src/public/index.js';
import { createSimulator, type HandoffConversation, type SentWebhook } from '../../src/simulator/index.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';

const CONVERSATIONS = 10_000;
/** Concurrent conversations. */
const CONCURRENCY = 64;
const API_KEY = 'api-key-of-bot-1';

/** A seeded random number generator (mulberry32), so that every run is the same. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The events of each conversation, in order. */
const SCRIPT = ['requested', 'first', 'second', 'closed'] as const;
/** Every tenth conversation gets a reply: replies are slow, and other tests cover them. */
const REPLY_EVERY = 10;

const isDrop = ({ error }: SentWebhook): boolean => error === 'the connection was dropped on purpose';

function labelOf(context: HandlerContexts[keyof HandlerContexts]): string {
  if (context.event === 'handoff.requested') return 'requested';
  if (context.event === 'handoff.message') return context.payload.body;
  return context.event === 'handoff.closed' ? 'closed' : context.event;
}

it('10,000 conversations with faults: each event is handled once, in order per conversation', async () => {
  // This test is about order, not latency: a busy machine may take longer than the default of 10 s.
  const simulator = createSimulator({ trafficLimit: 100, deliveryTimeoutMs: 60_000 });
  const baseUrl = await simulator.listen();
  const seen = new Map<string, string[]>();
  const receiver = createReceiver({
    auth: { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) },
    platform: { baseUrl, apiKey: API_KEY },
    // Duplicates are detected among remembered events only, and 40,000 events exceed the default of 10,000.
    delivery: inline({ maxRemembered: 100_000 }),
    log: false,
  })
    .onAny((context) => {
      const words = seen.get(context.conversationId) ?? [];
      seen.set(context.conversationId, [...words, labelOf(context)]);
    })
    .on('handoff.requested', async ({ user, reply }) => {
      if (user.userId === 'wants an answer') await reply('Hello');
    });
  const { url } = await serve(receiver);
  const desk = `${url}/${PATH_TOKEN}`;
  simulator.bots.add({
    id: 'bot-1',
    apiKey: API_KEY,
    humanServices: [{ componentId: 'desk', url: desk }],
  });
  onTestFinished(async () => {
    await simulator.close();
    await receiver.close();
  });

  const random = createRandom(2025);
  /** Switches random faults on for the next delivery of any conversation. */
  const injectFaults = () => {
    if (random() < 0.1) simulator.faults.set('duplicate', { times: 1, copies: 2 + Math.floor(random() * 2) });
    if (random() < 0.1) simulator.faults.set('delay', { times: 1, delayMs: 1 + Math.floor(random() * 5) });
    if (random() < 0.05) {
      const at = random() < 0.5 ? 'body' : 'answer';
      simulator.faults.set('drop', { times: 1, at, resend: true });
    }
    // The same receiver at the same time: two deliveries of one event race.
    if (random() < 0.05) simulator.faults.set('mirror', { times: 1, on: ['chat'], url: `${desk}/chat` });
  };

  const converse = async (number: number): Promise<HandoffConversation> => {
    injectFaults();
    const user: { userId?: string } = number % REPLY_EVERY === 0 ? { userId: 'wants an answer' } : {};
    const conversation = await simulator.requestHandoff({ user });
    // It is sent after the answer: a user who leaves at once does not see it.
    if (user.userId) await conversation.nextReply({ timeoutMs: 60_000 });
    for (const words of ['first', 'second']) {
      injectFaults();
      await conversation.say(words);
    }
    injectFaults();
    await conversation.closeByUser();
    return conversation;
  };

  const conversations: HandoffConversation[] = [];
  let started = 0;
  const runConversations = async (): Promise<void> => {
    while (started < CONVERSATIONS) {
      started += 1;
      conversations.push(await converse(started));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runConversations));

  const deliveries = conversations.flatMap((conversation) => conversation.deliveries);
  const copies = deliveries.flatMap((delivery) => delivery.copies);
  const count = {
    conversations: conversations.length,
    events: deliveries.length,
    deliveries: deliveries.length + copies.length,
    duplicates: copies.filter((delivery) => !isDrop(delivery)).length,
    drops: copies.filter(isDrop).length,
    replies: conversations.flatMap(({ replies }) => replies).length,
    handled: [...seen.values()].flat().length,
  };
  console.log(
    Object.entries(count)
      .map(([name, number]) => `${name} ${number.toLocaleString('en')}`)
      .join(', '),
  );

  expect(deliveries.filter(({ accepted }) => !accepted)).toEqual([]);
  const wrong = conversations.filter(({ id }) => seen.get(id)?.join() !== SCRIPT.join());
  expect(wrong.map(({ id }) => seen.get(id))).toEqual([]);
  expect(seen.size).toBe(CONVERSATIONS);
  expect(count).toMatchObject({
    conversations: CONVERSATIONS,
    events: CONVERSATIONS * SCRIPT.length,
    replies: CONVERSATIONS / REPLY_EVERY,
    handled: CONVERSATIONS * SCRIPT.length,
  });
  expect(count.duplicates).toBeGreaterThan(1_000);
  expect(count.drops).toBeGreaterThan(1_000);
}, 300_000);
