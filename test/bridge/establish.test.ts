import { describe, expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { fakeDesk } from './fake-desk.js';
import { stand } from './stand.js';

const away = (): never => {
  throw new AdapterError('transient', 'the desk is away.');
};

describe('a handoff request', () => {
  it('is accepted only once the desk has it', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench } = await stand({ desk });
    const asked = bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('open')).toBe(1));
    expect(bench.conversation.state).toBe('requesting');
    gate.resolve();
    await asked;
    expect(bench.conversation.state).toBe('connecting');
  });

  it('is tried again within its time where the desk stumbles, and finds what an earlier try made', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        apply();
        return nth === 1 ? away() : null;
      },
    });
    const { bench, receiver } = await stand({ desk });
    const { id, state } = await bench.requestHandoff();
    expect(state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
    expect(await receiver.conversations.get(id)).toMatchObject({ link: { externalId: 'T1' } });
  });

  it('is refused where the desk stays away', async () => {
    const desk = fakeDesk();
    desk.behave({ open: away });
    const { bench, bridge, receiver } = await stand({ desk, bridge: { openWithinMs: 50 } });
    const { id, state, deliveries } = await bench.requestHandoff();
    expect(state).toBe('busy');
    expect(deliveries[0]).toMatchObject({ status: 503 });
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'failed',
      closure: { by: 'kit', why: 'the desk is away.' },
    });
    expect(bridge.stats()).toMatchObject({ refused: 1, opened: 0 });
  });

  it.each(['auth', 'invalid'] as const)('is refused at once where the desk says no: %s', async (kind) => {
    const desk = fakeDesk();
    desk.behave({
      open: () => {
        throw new AdapterError(kind, 'the desk says no.');
      },
    });
    const { bench, logged } = await stand({ desk, bridge: { openWithinMs: 60_000 } });
    expect((await bench.requestHandoff()).state).toBe('busy');
    expect(desk.count('open')).toBe(1);
    expect(logged.about('credentials refused')).toHaveLength(kind === 'auth' ? 1 : 0);
  });

  it('is refused when its time is up, and what opens after that is closed', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, bridge, receiver } = await stand({ desk, bridge: { openWithinMs: 1_000 } });
    const { id, state } = await bench.requestHandoff();
    expect(state).toBe('busy');
    gate.resolve();
    await vi.waitFor(() => expect(bridge.stats().orphans).toBe(1));
    expect(desk.tickets.map(({ closes }) => closes)).toMatchObject([[{ by: 'kit' }]]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'failed', link: null });
  });

  it('opens anew when the user asks again after a refusal', async () => {
    const desk = fakeDesk();
    desk.behave({ open: away });
    const { bench } = await stand({ desk, bridge: { openWithinMs: 20 } });
    await bench.requestHandoff();
    desk.behave();
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
  });

  it('that comes twice at once is one conversation', async () => {
    const desk = fakeDesk();
    desk.behave({ open: async (apply) => new Promise((resolve) => setImmediate(() => resolve(apply()))) });
    const { bench } = await stand({ desk });
    bench.faults.set('duplicate', { on: ['establish'], copies: 5 });
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
    expect(desk.count('open')).toBe(1);
  });

  it('keeps users apart who share a placeholder address', async () => {
    const { bench, desk } = await stand();
    const email = 'support@example.com';
    await bench.requestHandoff({ user: { anonymousId: 'a-1', email } });
    await bench.requestHandoff({ user: { anonymousId: 'a-2', email } });
    expect(desk.tickets.map(({ session }) => session.user.key)).toEqual(['anonymous:a-1', 'anonymous:a-2']);
    expect(new Set(desk.tickets.map(({ key }) => key)).size).toBe(2);
  });

  it('that another gate refuses after it was opened is closed at the desk in the end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const made = await stand({ bridge: { reconcileEveryMs: 10 } });
      made.receiver.admit(() => false);
      await made.bench.requestHandoff();
      expect(made.desk.tickets).toMatchObject([{ closes: [] }]);
      vi.setSystemTime(Date.now() + 3_600_000);
      await vi.waitFor(() => expect(made.desk.tickets).toMatchObject([{ closes: [{ by: 'kit' }] }]));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('business hours', () => {
  it('refuse what comes outside of them, before the desk is asked', async () => {
    const { bench, desk } = await stand({ bridge: { hours: () => false } });
    const { state, deliveries } = await bench.requestHandoff();
    expect(state).toBe('busy');
    expect(deliveries[0]).toMatchObject({ status: 503 });
    expect(desk.calls).toEqual([]);
  });

  it('or say so and end it, where that is wanted', async () => {
    const { bench, desk, shown, receiver } = await stand({
      bridge: {
        hours: () => false,
        whenClosed: 'say',
        messages: { outsideHours: 'We are back at nine.' },
      },
    });
    const { id } = await bench.requestHandoff();
    expect(shown()).toEqual(['We are back at nine.']);
    expect(bench.conversation.endedBy).toBe('human');
    expect(desk.calls).toEqual([]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'closed', closure: { by: 'kit' } });
  });
});
