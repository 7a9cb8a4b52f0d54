import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Middleware around the handlers of stored events. */
export function middleware(engine: Engine): void {
  describe('middleware around the handlers of a stored event', () => {
    it('runs again with each attempt', async () => {
      const to = await (await stage(engine)).receive(undefined);
      const attempts = notes<number>();
      to.receiver.use(async ({ attempt }, next) => {
        attempts.add(attempt);
        await next();
      });
      to.receiver.on('handoff.message', ({ attempt }) => {
        if (attempt < 3) throw new Error('not yet');
      });
      await to.accept(chatEvent('c'));
      expect(await attempts.until(3)).toEqual([1, 2, 3]);
      await eventually(async () => expect(await to.queues.list('inbox')).toEqual([]));
    });

    it('that never calls next makes the event a dead letter', async () => {
      const to = await (await stage(engine)).receive(undefined, { maxAttempts: 2 });
      to.receiver.use(() => undefined);
      await to.accept(chatEvent('c'));
      await eventually(async () =>
        expect(await to.queues.list('inbox')).toMatchObject([
          { state: 'dead', attempts: 2, error: expect.stringContaining('without calling next()') },
        ]),
      );
      expect(to.seen).toEqual([]);
    });

    it('that skips the event removes it, and its conversation continues', async () => {
      const to = await (await stage(engine)).receive(undefined);
      to.receiver.use((context, next) => (context.key === 'k1' ? next.skip('not wanted') : next()));
      await to.accept(chatEvent('c', { key: 'k1' }));
      await to.accept(chatEvent('c', { key: 'k2' }));
      await eventually(() => expect(to.seen).toMatchObject([{ key: 'k2' }]));
      await eventually(async () => expect(await to.queues.list('inbox')).toEqual([]));
      expect(to.logged.about('skipped by middleware')).toMatchObject([{ reason: 'not wanted' }]);
    });

    it('does not count as failed when its process stops, whatever it throws', async () => {
      const store = await stage(engine);
      const to = await store.receive(undefined);
      const gate = deferred();
      const waiting = deferred();
      const ended = notes<unknown>();
      to.receiver.use(async (_context, next) => {
        waiting.resolve();
        await gate.promise;
        await next().catch((cause: unknown) => {
          ended.add(cause);
          throw new Error('wrapped', { cause });
        });
      });
      await to.accept(chatEvent('c'));
      await waiting.promise;
      const stopped = to.stop(1);
      await eventually(() => expect(to.receiver.accepting).toBe(false));
      await stopped;
      gate.resolve();
      expect(await ended.until(1)).toMatchObject([{ code: 'SHUTTING_DOWN' }]);
      const later = await store.receive(undefined);
      await later.start();
      await eventually(() => expect(later.seen).toMatchObject([{ conversationId: 'c' }]));
      expect(to.reports).toEqual([]);
    });

    it('starts no handler after the attempt was abandoned, whatever it catches', async () => {
      // Long enough for the middleware to start on a busy machine.
      const to = await (await stage(engine)).receive(undefined, { handlerTimeoutMs: 2_000, maxAttempts: 1 });
      const gate = deferred();
      const ended = notes<unknown>();
      to.receiver.use(async (_context, next) => {
        await gate.promise;
        await next().catch((error: unknown) => ended.add(error));
      });
      await to.accept(chatEvent('c'));
      await eventually(async () =>
        expect(await to.queues.list('inbox')).toMatchObject([
          { state: 'dead', error: expect.stringContaining('still running') },
        ]),
      );
      gate.resolve();
      expect(await ended.until(1)).toMatchObject([{ code: 'HANDLER_TIMEOUT' }]);
      expect(to.seen).toEqual([]);
    });
  });
}
