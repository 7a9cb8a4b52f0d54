import { describe, expect, it } from 'vitest';
import { Postponed } from '../../../src/public/index.js';
import { chatEvent } from '../../helpers/events.js';
import { LEVEL } from '../../helpers/log-lines.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from './stage.js';

/** Throws {@link Postponed} the given number of times. */
const away = (times: number) => {
  let left = times;
  return (): void => {
    left -= 1;
    if (left >= 0) throw new Postponed('the helpdesk is away', { retryAfterMs: 1 });
  };
};

/** Events whose handlers cannot handle them yet. */
export function postponements(engine: Engine): void {
  describe('an event whose handler postpones it', () => {
    it('is handled again before later events of its conversation, as the same attempt', async () => {
      const seen = notes<[key: string, attempt: number]>();
      const tryIt = away(2);
      const to = await (await stage(engine)).open(({ key }, { attempt }) => {
        seen.add([key, attempt]);
        if (key === '1') tryIt();
      });
      const accepted = ['0', '1', '2'].map((key) => to.accept(chatEvent('c', { key })));
      expect(await seen.until(5)).toEqual([
        ['0', 1],
        ['1', 1],
        ['1', 1],
        ['1', 1],
        ['2', 1],
      ]);
      await Promise.all(accepted);
    });

    it('never becomes a dead letter by being postponed, and its first failure is its first attempt', async () => {
      const seen = notes<number>();
      const tryIt = away(12);
      const to = await (await stage(engine)).open(
        (_event, { attempt }) => {
          seen.add(attempt);
          tryIt();
          if (engine.stores && attempt === 1) throw new Error('now it fails');
        },
        { maxAttempts: 2 },
      );
      await to.accept(chatEvent('c'));
      const attempts = Array.from({ length: 13 }, () => 1);
      expect(await seen.until(engine.stores ? 14 : 13)).toEqual(engine.stores ? [...attempts, 2] : attempts);
      await eventually(async () => expect(await to.delivery.stats()).toMatchObject({ pending: 0 }));
      expect(to.logged.about('dead letter')).toEqual([]);
    });

    it('delays only its own conversation', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(
        ({ key }) => {
          seen.add(key);
          if (key === 'away') throw new Postponed('away', { retryAfterMs: AN_HOUR });
        },
        { concurrency: 1, handlerTimeoutMs: 2 * AN_HOUR },
      );
      const waiting = to.accept(chatEvent('c', { key: 'away' }));
      const behind = to.accept(chatEvent('c', { key: 'behind it' }));
      await seen.until(1);
      await to.accept(chatEvent('d', { key: 'other' }));
      expect(await seen.until(2)).toEqual(['away', 'other']);
      await to.stop(1);
      await Promise.all([waiting, behind]);
    });

    it('is logged each time, and not reported as a failure', async () => {
      const to = await (await stage(engine)).receive(undefined);
      const tryIt = away(2);
      const done = notes<string>();
      to.receiver.on('handoff.message', () => {
        tryIt();
        done.add('handled');
      });
      await to.accept(chatEvent('c', { key: 'k' }));
      await done.until(1);
      await eventually(async () => expect(await to.delivery.stats()).toMatchObject({ pending: 0 }));
      expect(to.reports).toEqual([]);
      const line = {
        level: LEVEL.warn,
        event: 'handoff.message',
        conversationId: 'c',
        afterMs: 1,
        reason: 'the helpdesk is away',
      };
      expect(to.logged.about('postponed')).toMatchObject([line, line]);
    });

    it('is postponed even if another handler fails', async () => {
      const to = await (await stage(engine)).receive(undefined, { maxAttempts: 1 });
      const tryIt = away(3);
      const seen = notes<number>();
      to.receiver.on('handoff.message', () => {
        throw new Error('a bug');
      });
      to.receiver.on('handoff.message', ({ attempt }) => {
        seen.add(attempt);
        tryIt();
      });
      await to.accept(chatEvent('c'));
      expect(await seen.until(4)).toEqual([1, 1, 1, 1]);
      await eventually(() => expect(to.reports).toHaveLength(4));
      expect(to.reports).toMatchObject(
        Array.from({ length: 4 }, () => ({ error: { message: 'a bug' }, attempt: 1 })),
      );
    });

    it('waits for the backoff if the handler gives no delay', async () => {
      const to = await (await stage(engine)).open(
        () => {
          throw new Postponed('away');
        },
        { backoff: { minDelayMs: AN_HOUR, maxDelayMs: AN_HOUR }, handlerTimeoutMs: 2 * AN_HOUR },
      );
      const accepted = to.accept(chatEvent('c'));
      const { afterMs } = await to.logged.until('postponed');
      expect(afterMs).toBeGreaterThanOrEqual(engine.stores ? AN_HOUR / 2 : 500);
      await to.stop(1);
      await accepted;
    });
  });
}
