import { describe, expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { stand, stored } from './stand.js';

/** So slow that nothing but the first goes alone. */
const SLOW = { perConversation: { count: 1, perMs: 300 } } as const;

describe('messages that come faster than a conversation takes them', () => {
  it('are joined where they are stored, in order, and none is sent twice', async () => {
    const { bench, desk, bridge } = await stand({
      capabilities: { rate: SLOW },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await bench.say('one');
    await vi.waitFor(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three', 'four']) await bench.say(text);
    gate.resolve();
    await vi.waitFor(() => expect(desk.said()).toEqual(['one', 'two\nthree\nfour']), 10_000);
    await bench.say('five');
    await vi.waitFor(() => expect(desk.said()).toEqual(['one', 'two\nthree\nfour', 'five']), 10_000);
    await vi.waitFor(() => expect(bridge.stats()).toMatchObject({ sent: 3 }));
  });

  it('are joined no further than the desk takes in one, and not past the end', async () => {
    const { bench, desk } = await stand({
      capabilities: { rate: SLOW, maxTextLength: 9 },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await bench.say('one');
    await vi.waitFor(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three', 'four']) await bench.say(text);
    await bench.closeByUser();
    gate.resolve();
    await vi.waitFor(() => expect(desk.tickets[0]?.closes).toHaveLength(1), 10_000);
    expect(desk.said()).toEqual(['one', 'two\nthree', 'four']);
  });

  it('are found again where the joint message failed', async () => {
    const { bench, desk } = await stand({
      capabilities: { rate: { perConversation: { count: 1, perMs: 50 } } },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({
      send: async (apply, nth) => {
        await gate.promise;
        if (nth > 1 && nth < 8) throw new AdapterError('transient', 'the desk is away.');
        return apply();
      },
    });
    await bench.say('one');
    await vi.waitFor(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three']) await bench.say(text);
    gate.resolve();
    await vi.waitFor(() => expect(desk.said()).toEqual(['one', 'two\nthree']), 10_000);
  });

  it('wait their turn where nothing is stored', async () => {
    const { bench, desk } = await stand({
      capabilities: { rate: { perConversation: { count: 1, perMs: 20 } } },
    });
    await bench.requestHandoff();
    await Promise.all(['one', 'two', 'three'].map((text) => bench.say(text)));
    expect(desk.said()).toEqual(['one', 'two', 'three']);
  });
});
