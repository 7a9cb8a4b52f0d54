import { describe, expect, it } from 'vitest';
import { Unrecoverable } from '../../../src/public/index.js';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from './stage.js';

/** Events whose handlers fail. */
export function retries(engine: Engine): void {
  describe('an event whose handler fails', () => {
    it('is retried before later events of its conversation', async () => {
      const seen = notes<[key: string, attempt: number]>();
      const to = await (await stage(engine)).open(({ key }, { attempt }) => {
        seen.add([key, attempt]);
        if (key === '1' && attempt < 3) throw new Error('not yet');
      });
      for (const key of ['0', '1', '2', '3', '4']) await to.accept(chatEvent('c', { key }));
      expect(await seen.until(7)).toEqual([
        ['0', 1],
        ['1', 1],
        ['1', 2],
        ['1', 3],
        ['2', 1],
        ['3', 1],
        ['4', 1],
      ]);
    });

    it('waits for its backoff, and delays only its own conversation', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(
        ({ key }) => {
          seen.add(key);
          if (key === 'bad') throw new Error('not today');
        },
        { backoff: { minDelayMs: AN_HOUR, maxDelayMs: AN_HOUR }, concurrency: 1 },
      );
      await to.accept(chatEvent('c', { key: 'bad' }));
      await to.accept(chatEvent('c', { key: 'behind it' }));
      await seen.until(1);
      for (const key of ['1', '2', '3']) await to.accept(chatEvent('d', { key }));
      expect(await seen.until(4)).toEqual(['bad', '1', '2', '3']);
      await eventually(async () =>
        expect(await to.queues.list('inbox', { conversationId: 'c' })).toMatchObject([
          { state: 'waiting', attempts: 1, error: 'Error: not today' },
          { state: 'waiting', attempts: 0, error: null },
        ]),
      );
    });

    it('becomes a dead letter at once after Unrecoverable, and later events are handled', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(({ key }) => {
        seen.add(key);
        if (key === 'bad') throw new Unrecoverable('the CRM refuses it');
      });
      for (const key of ['bad', 'later']) await to.accept(chatEvent('c', { key }));
      expect(await seen.until(2)).toEqual(['bad', 'later']);
      expect(await to.queues.list('inbox', { state: 'dead' })).toMatchObject([{ attempts: 1 }]);
    });

    it('becomes a dead letter after the maximum of attempts, and later events are handled', async () => {
      const seen = notes<[key: string, attempt: number]>();
      const to = await (await stage(engine)).open(
        ({ key }, { attempt }) => {
          seen.add([key, attempt]);
          if (key === 'bad') throw new Error(`no ${attempt}`);
        },
        { maxAttempts: 3 },
      );
      for (const key of ['good', 'bad', 'later']) await to.accept(chatEvent('c', { key }));
      expect(await seen.until(5)).toEqual([
        ['good', 1],
        ['bad', 1],
        ['bad', 2],
        ['bad', 3],
        ['later', 1],
      ]);
      expect(await to.queues.list('inbox', { state: 'dead' })).toMatchObject([
        { conversationId: 'c', what: 'handoff.message', attempts: 3, error: 'Error: no 3', queue: 'inbox' },
      ]);
      expect(await to.logged.until('became a dead letter')).toMatchObject({
        conversationId: 'c',
        attempts: 3,
      });
      await eventually(async () =>
        expect(await to.queues.depth('inbox')).toEqual({ waiting: 0, dead: 1, oldestAt: null }),
      );
    });

    it('by timing out is retried too', async () => {
      const seen = notes<number>();
      const to = await (await stage(engine)).open(
        (_event, { attempt }) => {
          seen.add(attempt);
          return attempt === 1 ? deferred().promise : undefined;
        },
        { handlerTimeoutMs: 20 },
      );
      await to.accept(chatEvent('c'));
      expect(await seen.until(2)).toEqual([1, 2]);
      expect(to.reports).toMatchObject([{ error: { code: 'HANDLER_TIMEOUT' }, attempt: 1 }]);
    });

    it('is reported to onError with the number of each attempt', async () => {
      const to = await (await stage(engine)).receive(undefined, { maxAttempts: 2 });
      to.receiver.on('handoff.message', () => {
        throw new Error('no');
      });
      await to.accept(chatEvent('c', { key: 'k' }));
      await eventually(() => expect(to.reports).toHaveLength(2));
      const place = { event: 'handoff.message', conversationId: 'c', requestId: 'request-of-k' };
      expect(to.reports).toMatchObject([
        { ...place, attempt: 1 },
        { ...place, attempt: 2 },
      ]);
    });
  });
}
