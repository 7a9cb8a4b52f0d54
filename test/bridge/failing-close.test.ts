import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import type { Receiver } from '../../src/public/index.js';
import { LEVEL } from '../helpers/log-lines.js';
import { fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { setUpBridge, sqliteDelivery } from './setup.js';
import type { TimedBridgeOptions } from './timed-bridge.js';

const NOTE = '(The user has left the conversation. It could not be closed here; please close it.)';

const fails = (): never => {
  throw new AdapterError('transient', 'the desk answered 500.');
};

/** Postponed events come again soon. */
async function setUp(bridge: Partial<TimedBridgeOptions> = {}) {
  const delivery = await sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 20 } });
  return setUpBridge({ receiver: { delivery }, bridge });
}

const deadLetters = async ({ storage }: Receiver) =>
  (await storage.queues?.list('inbox', { state: 'dead' })) ?? [];

describe('a close at which the helpdesk keeps failing', () => {
  it('becomes a dead letter, and agents and operators are told', async () => {
    const { bench, desk, receiver, bridge, logged } = await setUp();
    await bench.requestHandoff();
    desk.behave({ close: fails });
    await bench.closeByUser();
    await expect
      .poll(() => deadLetters(receiver))
      .toMatchObject([{ what: 'handoff.closed', error: expect.stringContaining('the desk answered 500') }]);
    expect(desk.sentTexts()).toEqual([NOTE]);
    expect(bridge.stats()).toMatchObject({ unclosed: 1, closedInHelpdesk: 0 });
    expect(logged.about('could not be closed in the helpdesk')).toMatchObject([{ level: LEVEL.error }]);
  });

  it.each(['gone', 'invalid'] as const)(
    'becomes a dead letter if the note is refused as well: %s',
    async (kind) => {
      const { bench, desk, receiver, bridge } = await setUp();
      await bench.requestHandoff();
      desk.behave({
        close: fails,
        send: () => {
          throw new AdapterError(kind, 'the desk refuses the note.');
        },
      });
      await bench.closeByUser();
      await expect
        .poll(() => deadLetters(receiver))
        .toMatchObject([{ what: 'handoff.closed', error: expect.stringContaining('the desk answered 500') }]);
      expect(bridge.stats()).toMatchObject({ unclosed: 1 });
    },
  );

  it('is done if the last try finds it closed', async () => {
    const { bench, desk, receiver, bridge } = await setUp();
    await bench.requestHandoff();
    desk.behave({
      close: () => {
        if (!desk.sentTexts().includes(NOTE)) return fails();
        throw new AdapterError('gone', 'an agent closed it.');
      },
    });
    await bench.closeByUser();
    await expect.poll(() => bridge.stats()).toMatchObject({ closedInHelpdesk: 1, unclosed: 0 });
    expect(await deadLetters(receiver)).toEqual([]);
  });

  it('does not hold up its user, who requests a handoff again', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const instance = await start();
    routeTo(instance);
    const { id } = await bench.requestHandoff();
    desk.behave({ close: fails });
    await bench.closeByUser();
    const user = { phone: null, email: null, user_id: 'u-1', anonymous_id: null };
    const request = { conversation_id: id, email: null, bot_id: 'bot', body: [], user_info: user };
    const post = async (path: string, body: object): Promise<number> =>
      (
        await fetch(`${instance.url}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, timestamp: Date.now() }),
        })
      ).status;
    expect(await post('conversation/establish', request)).toBe(200);
    const message = { conversation_id: id, body: 'I am back.' };
    expect(await post('chat', message)).toBe(200);
    await expect.poll(() => desk.sentTexts('T2')).toEqual(['I am back.']);
    expect(desk.sentTexts('T1')).toEqual([NOTE]);
  });

  it('is closed when an operator retries the dead letter', async () => {
    const { bench, desk, receiver, bridge } = await setUp();
    await bench.requestHandoff();
    desk.behave({ close: fails });
    await bench.closeByUser();
    const retryDeadLetter = async (): Promise<void> => {
      await expect.poll(() => deadLetters(receiver)).toHaveLength(1);
      const [job] = await deadLetters(receiver);
      await receiver.storage.queues?.retry('inbox', job?.id ?? '');
    };
    await retryDeadLetter();
    // The helpdesk still fails, and agents get no second note.
    await expect.poll(() => bridge.stats().unclosed).toBe(2);
    expect(desk.sentTexts()).toEqual([NOTE]);
    desk.behave();
    await retryDeadLetter();
    await expect.poll(() => desk.tickets[0]?.closes).toMatchObject([{ by: 'user' }]);
    await expect.poll(() => bridge.stats()).toMatchObject({ closedInHelpdesk: 1 });
  });

  it('waits while the helpdesk is out, however long that takes', async () => {
    const { bench, desk, receiver, bridge } = await setUp();
    await bench.requestHandoff();
    // Several times as many failures as a close may have while other calls succeed.
    desk.behave({ send: fails, close: (apply, nth) => (nth > 80 ? apply() : fails()) });
    await bench.closeByUser();
    await expect.poll(() => desk.tickets[0]?.closes).toHaveLength(1);
    await expect.poll(() => bridge.stats()).toMatchObject({ unclosed: 0, closedInHelpdesk: 1 });
    expect(await deadLetters(receiver)).toEqual([]);
  });

  it('waits while the helpdesk refuses the credentials, and the log says so once', async () => {
    const { bench, desk, logged } = await setUp();
    await bench.requestHandoff();
    desk.behave({
      close: (apply, nth) => {
        if (nth > 2) return apply();
        throw new AdapterError('auth', 'the desk answered 401.');
      },
    });
    await bench.closeByUser();
    await expect.poll(() => desk.tickets[0]?.closes).toHaveLength(1);
    expect(logged.about('credentials refused')).toHaveLength(1);
  });

  it('waits while the helpdesk is at its rate limit, and agents get no note', async () => {
    const { bench, desk, receiver, logged } = await setUp();
    await bench.requestHandoff();
    desk.behave({
      close: (apply, nth) => {
        if (nth > 50) return apply();
        throw new AdapterError('rate-limited', 'the desk answered 429.', { retryAfterMs: 1 });
      },
    });
    await bench.closeByUser();
    await expect.poll(() => desk.tickets[0]?.closes).toHaveLength(1);
    expect(desk.sentTexts()).toEqual([]);
    expect(logged.about('credentials refused')).toEqual([]);
    expect(await deadLetters(receiver)).toEqual([]);
  });
});

describe('a close that no event waits for', () => {
  it.each([
    ['keeps failing at', fails],
    [
      'refuses for good',
      () => {
        throw new AdapterError('invalid', 'the desk answered 422.');
      },
    ],
  ])('and that the helpdesk %s is given up once, and operators are told', async (_what, answer) => {
    const { bench, desk, receiver, bridge, logged } = await setUp({ reconcileEveryMs: 20 });
    const { id } = await bench.requestHandoff();
    desk.behave({ close: answer });
    await receiver.conversations.end(id);
    await expect.poll(() => bridge.stats().unclosed).toBe(1);
    const calls = desk.count('close');
    // A later pass leaves it alone, and closes another one.
    desk.behave();
    const other = await bench.requestHandoff();
    await receiver.conversations.end(other.id);
    await expect.poll(() => desk.tickets[1]?.closes).toHaveLength(1);
    expect(desk.count('close')).toBe(calls + 1);
    expect(logged.about('could not be closed in the helpdesk')).toHaveLength(1);
  });
});
