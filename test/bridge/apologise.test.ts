import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { fakeDesk } from './fake-desk.js';
import { stand, stored } from './stand.js';

const AT_ONCE = { tries: 1, firstWaitMs: 1 } as const;
const SORRY = { whenUnopened: 'apologise', messages: { unavailable: 'Nobody is here.' } } as const;

describe('a handoff that is accepted before the desk has it', () => {
  it('opens meanwhile', async () => {
    const { bench, desk } = await stand({ bridge: SORRY });
    expect((await bench.requestHandoff()).state).toBe('connecting');
    await vi.waitFor(() => expect(desk.tickets).toHaveLength(1));
  });

  it('tells the user and ends where the desk says no', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: () => {
        throw new AdapterError('auth', 'the token is wrong.');
      },
    });
    const { bench, shown, receiver } = await stand({ desk, bridge: SORRY });
    const { id } = await bench.requestHandoff();
    await vi.waitFor(() => expect(bench.conversation.endedBy).toBe('human'));
    expect(shown()).toEqual(['Nobody is here.']);
    expect(desk.count('open')).toBe(1);
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'closed',
      closure: { by: 'kit', why: 'the token is wrong.' },
    });
  });

  it('is tried for a while where the desk is away, and then the user is told', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const desk = fakeDesk();
    desk.behave({
      open: (_apply, nth) => {
        if (nth === 5) vi.setSystemTime(Date.now() + 45_000);
        throw new AdapterError('transient', 'the desk is away.');
      },
    });
    const { bench, shown } = await stand({ desk, bridge: { ...SORRY, openWithinMs: 2 } });
    await bench.requestHandoff();
    expect(shown()).toEqual(['Nobody is here.']);
    expect(desk.count('open')).toBeGreaterThanOrEqual(5);
    expect(bench.conversation.endedBy).toBe('human');
  });

  it('opens when the desk comes back in time, and nothing that was said is lost', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        if (nth === 1) throw new AdapterError('transient', 'the desk is away.');
        return apply();
      },
      find: () => null,
    });
    const { bench, shown } = await stand({
      desk,
      bridge: { ...SORRY, retry: AT_ONCE, openWithinMs: 1, giveUpOpeningAfterMs: 100_000 },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    await bench.say('Hello?');
    await vi.waitFor(() => expect(desk.said()).toEqual(['Hello?']), 20_000);
    expect(shown()).toEqual([]);
  });
});

it('must know what to say', async () => {
  await expect(stand({ bridge: { whenUnopened: 'apologise' } })).rejects.toThrow('messages.unavailable');
  await expect(stand({ bridge: { whenClosed: 'say' } })).rejects.toThrow('messages.outsideHours');
});
