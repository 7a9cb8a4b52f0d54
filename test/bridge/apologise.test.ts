import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const NO_RETRY = { tries: 1, firstWaitMs: 1 } as const;
const APOLOGISE = {
  whenUnavailable: 'apologise',
  messages: { unavailable: 'No agent is available.' },
} as const;

describe('a handoff that is accepted before the helpdesk has it', () => {
  it('opens in the background', async () => {
    const { bench, desk } = await setUpBridge({ bridge: APOLOGISE });
    expect((await bench.requestHandoff()).state).toBe('connecting');
    await eventually(() => expect(desk.tickets).toHaveLength(1));
  });

  it('tells the user and ends when the helpdesk refuses it', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: () => {
        throw new AdapterError('auth', 'the token is wrong.');
      },
    });
    const { bench, shown, receiver } = await setUpBridge({ desk, bridge: APOLOGISE });
    const { id } = await bench.requestHandoff();
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(shown()).toEqual(['No agent is available.']);
    expect(desk.count('open')).toBe(1);
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'closed',
      closure: { by: 'system', reason: 'the token is wrong.' },
    });
  });

  it('is retried for a while when the helpdesk is down, and then the user is told', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const desk = fakeDesk();
    desk.behave({
      open: (_apply, nth) => {
        if (nth === 5) vi.setSystemTime(Date.now() + 45_000);
        throw new AdapterError('transient', 'the desk is down.');
      },
    });
    const { bench, shown } = await setUpBridge({ desk, bridge: { ...APOLOGISE, openWithinMs: 2 } });
    await bench.requestHandoff();
    await expect.poll(shown).toEqual(['No agent is available.']);
    expect(desk.count('open')).toBeGreaterThanOrEqual(5);
    await expect.poll(() => bench.conversation.endedBy).toBe('agent');
  });

  it('opens when the helpdesk recovers in time, and no message is lost', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        if (nth === 1) throw new AdapterError('transient', 'the desk is down.');
        return apply();
      },
      find: () => null,
    });
    const { bench, shown } = await setUpBridge({
      desk,
      bridge: { ...APOLOGISE, retry: NO_RETRY, openWithinMs: 1, giveUpOpeningAfterMs: 100_000 },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('Hello?');
    await eventually(() => expect(desk.sentTexts()).toEqual(['Hello?']));
    expect(shown()).toEqual([]);
  });
});

it('apologise requires messages.unavailable', async () => {
  await expect(setUpBridge({ bridge: { whenUnavailable: 'apologise' } })).rejects.toThrow(
    'messages.unavailable',
  );
  await expect(setUpBridge({ bridge: { whenClosed: 'apologise' } })).rejects.toThrow('messages.outsideHours');
});
