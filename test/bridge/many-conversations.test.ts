import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { AdapterError } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { QUICK_RETRY, setUpBridge } from './setup.js';

const CONVERSATIONS = 60;
const WORDS = ['one', 'two', 'three', 'four'];
const LATENCY_MS = 20;

/** A desk that fails every 7th call, and loses the response of every 11th. */
function unreliableDesk() {
  const desk = fakeDesk();
  const failEvery = (nth: number, every: number): void => {
    if (nth % every === 0) throw new AdapterError('transient', 'the desk failed.');
  };
  const respondLate = async (apply: () => unknown, nth: number): Promise<unknown> => {
    await sleep(LATENCY_MS);
    failEvery(nth, 7);
    const result = apply();
    failEvery(nth, 11);
    return result;
  };
  desk.behave({ open: respondLate, send: respondLate, close: respondLate });
  return desk;
}

it('many concurrent conversations with an unreliable helpdesk: all messages arrive in order', async () => {
  const desk = unreliableDesk();
  const { bench, sendEvents } = await setUpBridge({
    desk,
    receiver: {
      delivery: sqlite({ file: `${await temporaryFolder()}/handoff.db`, concurrency: 64, pollMs: 50 }),
    },
    bridge: { openWithinMs: 20_000, retry: { ...QUICK_RETRY, tries: 10 } },
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

  // A message whose response was lost arrives twice, with the same key.
  const said = (conversationId: string): string[] => {
    const ticket = desk.tickets.find(({ session }) => session.conversationId === conversationId);
    return [...new Map(ticket?.messages.map(({ key, text }) => [key, text])).values()];
  };
  for (const id of ids) {
    await eventually(() => expect(said(id)).toEqual(WORDS.map((word) => `${id} ${word}`)));
  }
  expect(desk.tickets).toHaveLength(CONVERSATIONS);

  await Promise.all(
    desk.tickets.map(({ id: externalId, session }) =>
      sendEvents(agentSays(`to ${session.conversationId}`, { externalId }), agentCloses({ externalId })),
    ),
  );
  for (const id of ids) {
    await eventually(() => expect(simulator.conversation(id)?.endedBy).toBe('agent'));
    expect(simulator.conversation(id)?.replies.map(({ text }) => text)).toEqual([`to ${id}`]);
  }
}, 120_000);
