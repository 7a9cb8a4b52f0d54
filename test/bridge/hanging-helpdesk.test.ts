import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { OUTAGE_MS, setUpBridge, sqliteDelivery } from './setup.js';

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
    await eventually(() => expect(desk.count('send')).toBe(5));
    await bench.botMessage('unrelated');
    await eventually(() => expect(handled).toEqual(['unrelated']));
  });
});

describe('a helpdesk that does not answer', () => {
  it('is called no more after three conversations failed for a second, and new handoffs are refused at once', async () => {
    const desk = fakeDesk();
    const { bench, bridge, logged } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery() },
      // Calls are paused for 25 times as long.
      bridge: { retry: { tries: 1, firstWaitMs: 10_000 } },
    });
    const { simulator } = bench;
    await bench.requestHandoff();
    desk.behave({ open: down, find: down, send: down });
    await bench.say('one');
    await eventually(() => expect(desk.count('send')).toBeGreaterThan(4));
    expect(bridge.isAvailable()).toBe(true);
    for (const conversationId of ['second', 'third'])
      expect((await simulator.requestHandoff({ conversationId })).state).toBe('busy');
    await eventually(() => expect(bridge.isAvailable()).toBe(false));
    const opens = desk.count('open');
    expect((await simulator.requestHandoff({ conversationId: 'another' })).state).toBe('busy');
    expect(desk.count('open')).toBe(opens);
    expect(bridge.stats()).toMatchObject({ outages: 1, refused: 3 });
    expect(logged.about('calls are paused')).toHaveLength(1);
  });

  it('that fails at one conversation alone takes all others, however long that one fails', async () => {
    const desk = fakeDesk();
    const { bench, bridge } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 5 } }) },
      bridge: { retry: { tries: 1, firstWaitMs: 10_000, giveUpAfter: 1_000 } },
    });
    const poisoned = await bench.requestHandoff();
    desk.behave({ send: down });
    await poisoned.say('poison');
    for (let n = 1; n <= 5; n += 1) {
      const sends = desk.count('send');
      await eventually(() => expect(desk.count('send')).toBeGreaterThan(sends + 5));
      const { state } = await bench.simulator.requestHandoff({ conversationId: `innocent-${n}` });
      expect(state).toBe('connecting');
    }
    expect(bridge.stats()).toMatchObject({ outages: 0, refused: 0 });
  });

  it('is tried by other conversations than those that failed', async () => {
    const desk = fakeDesk();
    const { bench, bridge } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 5 } }) },
      bridge: { retry: { tries: 1, firstWaitMs: 20, giveUpAfter: 1_000 } },
    });
    const poisoned = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((conversationId) => bench.simulator.requestHandoff({ conversationId })),
    );
    desk.behave({ send: down });
    for (const conversation of poisoned) await conversation.say('poison');
    await eventually(() => expect(bridge.isAvailable()).toBe(false));
    await eventually(async () => {
      const { state } = await bench.simulator.requestHandoff({ conversationId: 'innocent' });
      expect(state).toBe('connecting');
    });
  });

  it('counts as answering while only closes fail: new handoffs are accepted', async () => {
    const desk = fakeDesk();
    const { bench, bridge } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 1 } }) },
      bridge: { retry: { tries: 1, firstWaitMs: 10_000 } },
    });
    const conversation = await bench.requestHandoff();
    desk.behave({ close: down });
    await conversation.closeByUser();
    await eventually(() => expect(desk.count('close')).toBeGreaterThan(6));
    expect(bridge.isAvailable()).toBe(true);
    expect((await bench.simulator.requestHandoff({ conversationId: 'another' })).state).toBe('connecting');
  });

  it('can be tried by a new handoff at any time when a close was the trial and failed', async () => {
    const desk = fakeDesk();
    const { bench, bridge } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 1 } }) },
      bridge: { retry: { tries: 1, firstWaitMs: 20 } },
    });
    const conversation = await bench.requestHandoff();
    desk.behave({ open: down, find: down, close: down });
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((conversationId) => bench.simulator.requestHandoff({ conversationId })),
    );
    expect(bridge.isAvailable()).toBe(false);
    await conversation.closeByUser();
    await eventually(() => expect(desk.count('close')).toBeGreaterThan(0));
    desk.behave({ close: down });
    await eventually(async () => {
      const { state } = await bench.simulator.requestHandoff({ conversationId: 'accepted' });
      expect(state).toBe('connecting');
    });
    expect(bridge.isAvailable()).toBe(true);
  });

  it('says nothing to the user about a delay unless a text is set', async () => {
    const desk = fakeDesk();
    const { bench, bridge, shown } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery() },
      bridge: { retry: { tries: 1, firstWaitMs: 10_000 } },
    });
    await bench.requestHandoff();
    desk.behave({ send: down });
    await bench.say('hello');
    const { postponed } = bridge.stats();
    await eventually(() => expect(bridge.stats().postponed).toBeGreaterThan(postponed));
    expect(shown()).toEqual([]);
  });

  it('tells the user that messages wait if a text is set, and not with each attempt', async () => {
    const desk = fakeDesk();
    const { bench, bridge, shown } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 1 } }) },
      bridge: {
        retry: { tries: 1, firstWaitMs: 10_000 },
        messages: { delayed: 'This may take a while.' },
      },
    });
    await bench.requestHandoff();
    desk.behave({ send: down });
    await bench.say('hello');
    await eventually(() => expect(shown()).toContain('This may take a while.'));
    const { postponed } = bridge.stats();
    await eventually(() => expect(bridge.stats().postponed).toBeGreaterThan(postponed + 3));
    // Twice if the test runs when ten minutes of the clock are over.
    expect(shown().length).toBeLessThanOrEqual(2);
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
    const [last, ...others] = conversations;
    for (const conversation of others) await conversation.say('hello');
    await sleep(OUTAGE_MS);
    await last?.say('hello');
    await eventually(() => expect(bridge.stats().postponed).toBeGreaterThanOrEqual(8));
    expect(bridge.isAvailable()).toBe(false);
    desk.behave();
    await eventually(() =>
      expect(desk.tickets.map(({ messages }) => messages.length)).toEqual(Array(8).fill(1)),
    );
    expect(bridge.isAvailable()).toBe(true);
    expect(logged.about('answers again')).toHaveLength(1);
    expect(shown().filter((text) => text === 'This may take a while.').length).toBeLessThanOrEqual(1);
    const told = ids.filter((id) => simulator.conversation(id)?.replies.length === 1);
    expect(told.length).toBeGreaterThan(0);
  });
});
