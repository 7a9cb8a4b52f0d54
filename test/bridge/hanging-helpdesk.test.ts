import { describe, expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const down = (): never => {
  throw new AdapterError('transient', 'the desk is down.');
};

describe('a helpdesk that hangs', () => {
  it('delays no events of others, however many conversations wait for it', async () => {
    const desk = fakeDesk();
    const handled: string[] = [];
    const { bench } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ concurrency: 2 }) },
      before: (receiver) => void receiver.on('message', ({ text }) => void handled.push(text)),
    });
    const { simulator } = bench;
    const conversations = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((conversationId) => simulator.requestHandoff({ conversationId })),
    );
    desk.behave({ send: () => new Promise(() => {}) });
    await Promise.all(conversations.map((conversation) => conversation.say('hello')));
    await vi.waitFor(() => expect(desk.count('send')).toBe(5));
    await bench.agentMessage('unrelated');
    await vi.waitFor(() => expect(handled).toEqual(['unrelated']));
  });
});

describe('a helpdesk that does not answer', () => {
  it('is called no more after some failures, and new handoffs are refused at once', async () => {
    const desk = fakeDesk();
    const { bench, bridge, logged } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery() },
      // Calls are paused for 25 times as long.
      bridge: { retry: { tries: 1, firstWaitMs: 10_000 } },
    });
    await bench.requestHandoff();
    desk.behave({ open: down, send: down });
    await bench.say('one');
    await vi.waitFor(() => expect(bridge.isAvailable()).toBe(false), 10_000);
    expect(desk.count('send')).toBe(5);
    expect((await bench.simulator.requestHandoff({ conversationId: 'another' })).state).toBe('busy');
    expect(desk.count('open')).toBe(1);
    expect(bridge.stats()).toMatchObject({ outages: 1, refused: 1 });
    expect(logged.about('calls are paused')).toHaveLength(1);
  });

  it('wakes all conversations that wait for it as soon as it answers again', async () => {
    const desk = fakeDesk();
    // Without being woken, postponed events would wait for an hour.
    const { bench, bridge, logged, shown } = await setUpBridge({
      desk,
      receiver: {
        delivery: await sqliteDelivery({ backoff: { minDelayMs: 3_600_000, maxDelayMs: 3_600_000 } }),
      },
      bridge: { retry: { tries: 1, firstWaitMs: 20 }, messages: { delayed: 'This may take a while.' } },
    });
    const { simulator } = bench;
    const ids = Array.from({ length: 8 }, (_, index) => `waiting-${index}`);
    const conversations = await Promise.all(
      ids.map((conversationId) => simulator.requestHandoff({ conversationId })),
    );
    desk.behave({ send: down });
    for (const conversation of conversations) await conversation.say('hello');
    await vi.waitFor(() => expect(bridge.stats().postponed).toBeGreaterThanOrEqual(8), 10_000);
    expect(bridge.isAvailable()).toBe(false);
    desk.behave();
    await vi.waitFor(
      () => expect(desk.tickets.map(({ messages }) => messages.length)).toEqual(Array(8).fill(1)),
      20_000,
    );
    expect(bridge.isAvailable()).toBe(true);
    expect(logged.about('answers again')).toHaveLength(1);
    expect(shown().filter((text) => text === 'This may take a while.').length).toBeLessThanOrEqual(1);
    const told = ids.filter((id) => simulator.conversation(id)?.replies.length === 1);
    expect(told.length).toBeGreaterThan(0);
  });
});
