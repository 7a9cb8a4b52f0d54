import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from './stage.js';

/** Repeats at every point of an event's lifecycle. */
export function duplicates(engine: Engine): void {
  describe('a repeat', () => {
    const same = () => chatEvent('c', { key: 'same' });

    it('that arrives at the same time is not stored', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(({ key }) => seen.add(key));
      const accepted = await Promise.all(Array.from({ length: 10 }, () => to.accept(same())));
      expect(accepted.sort()).toEqual([...Array.from({ length: 9 }, () => 'duplicate'), 'stored']);
      await to.accept(chatEvent('c', { key: 'after' }));
      expect(await seen.until(2)).toEqual(['same', 'after']);
    });

    it('of a running or waiting event has no effect', async () => {
      const held = deferred();
      const seen = notes<string>();
      const to = await (await stage(engine)).open(async ({ key }) => {
        seen.add(key);
        await held.promise;
      });
      await to.accept(same());
      await to.accept(chatEvent('c', { key: 'waits' }));
      await seen.until(1);
      expect(await to.accept(same())).toBe('duplicate');
      expect(await to.accept(chatEvent('c', { key: 'waits' }))).toBe('duplicate');
      held.resolve();
      await to.accept(chatEvent('c', { key: 'after' }));
      expect(await seen.until(3)).toEqual(['same', 'waits', 'after']);
    });

    it('of a failed event or of a dead letter does not run it again', async () => {
      const seen = notes<string>();
      const set = await stage(engine);
      const options = { backoff: { minDelayMs: AN_HOUR, maxDelayMs: AN_HOUR }, maxAttempts: 2 };
      const fail = () => {
        throw new Error('no');
      };
      const failing = await set.open(fail, options);
      await failing.accept(same());
      await eventually(async () =>
        expect(await failing.queues.list('inbox')).toMatchObject([{ attempts: 1, error: 'Error: no' }]),
      );
      expect(await failing.accept(same())).toBe('duplicate');
      await failing.stop();

      const dead = await set.open(fail, { ...options, maxAttempts: 1 });
      await dead.accept(chatEvent('d', { key: 'dead' }));
      await eventually(async () => expect(await dead.queues.depth('inbox')).toMatchObject({ dead: 1 }));
      expect(await dead.accept(chatEvent('d', { key: 'dead' }))).toBe('duplicate');
      await dead.stop();

      const to = await set.open(({ key }) => seen.add(key), options);
      expect(await to.accept(chatEvent('d', { key: 'dead' }))).toBe('duplicate');
      await to.accept(chatEvent('d', { key: 'after' }));
      expect(await seen.until(1)).toEqual(['after']);
    });

    it('is recognised after a restart', async () => {
      const set = await stage(engine);
      const seen = notes<string>();
      const before = await set.open(({ key }) => seen.add(key));
      await before.accept(same());
      await seen.until(1);
      await before.stop();
      const after = await set.open(({ key }) => seen.add(key));
      expect(await after.delivery.seen(same())).toBe(true);
      expect(await after.accept(same())).toBe('duplicate');
      await after.accept(chatEvent('c', { key: 'after' }));
      expect(await seen.until(2)).toEqual(['same', 'after']);
    });

    it('is stored as a new event once the first is no longer remembered', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(({ key }) => seen.add(key), { rememberMs: 20 });
      await to.accept(same());
      await seen.until(1);
      await eventually(async () => expect(await to.accept(same())).toBe('stored'));
      expect(await seen.until(2)).toEqual(['same', 'same']);
    });
  });
}
