import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { QUICK, stand } from './stand.js';

const CONVERSATIONS = 60;
const WORDS = ['one', 'two', 'three', 'four'];
const LATENCY_MS = 20;

/** Every so often the desk is away, or does what it was asked and does not say so. */
function unreliable() {
  const desk = fakeDesk();
  const stumble = (nth: number, every: number): void => {
    if (nth % every === 0) throw new AdapterError('transient', 'the desk stumbles.');
  };
  const late = async (apply: () => unknown, nth: number): Promise<unknown> => {
    await sleep(LATENCY_MS);
    stumble(nth, 7);
    const result = apply();
    stumble(nth, 11);
    return result;
  };
  desk.behave({ open: late, send: late, close: late });
  return desk;
}

it('many conversations at once with a desk that stumbles: all that is said arrives, in order', async () => {
  const desk = unreliable();
  const { bench, tell } = await stand({
    desk,
    receiver: {
      delivery: sqlite({ file: `${await temporaryFolder()}/handoff.db`, concurrency: 64, pollMs: 50 }),
    },
    bridge: { openWithinMs: 20_000, retry: { ...QUICK, tries: 10 } },
    bench: { simulator: { deliveryTimeoutMs: 25_000 } },
  });
  const { simulator } = bench;
  const ids = Array.from({ length: CONVERSATIONS }, (_, index) => `many-${index}`);

  const talk = async (conversationId: string): Promise<void> => {
    const conversation = await simulator.requestHandoff({ conversationId });
    expect(conversation.state).toBe('connecting');
    for (const word of WORDS) await conversation.say(`${conversationId} ${word}`);
  };
  await Promise.all(ids.map(talk));

  // A message whose answer was lost comes twice, with the same key: that is what the key is for.
  const said = (conversationId: string): string[] => {
    const ticket = desk.tickets.find(({ session }) => session.conversationId === conversationId);
    return [...new Map(ticket?.messages.map(({ key, text }) => [key, text])).values()];
  };
  for (const id of ids) {
    await vi.waitFor(() => expect(said(id)).toEqual(WORDS.map((word) => `${id} ${word}`)), 20_000);
  }
  expect(desk.tickets).toHaveLength(CONVERSATIONS);

  await Promise.all(
    desk.tickets.map(({ id: externalId, session }) =>
      tell(agentSays(`to ${session.conversationId}`, { externalId }), agentCloses({ externalId })),
    ),
  );
  for (const id of ids) {
    await vi.waitFor(() => expect(simulator.conversation(id)?.endedBy).toBe('human'), 20_000);
    expect(simulator.conversation(id)?.replies.map(({ text }) => text)).toEqual([`to ${id}`]);
  }
}, 120_000);
