import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from '../contract/stage.js';

/** A database whose clock the test sets. */
export interface ClockedEngine extends Engine {
  /** Moves the clock, by milliseconds. */
  setClock(shiftMs: number): Promise<void>;
}

/** Long enough for a busy machine to renew it in time. */
const LEASE_MS = 900;

/** The effects of setting the clock that due times are compared with. */
export function describeClock(name: string, createEngine: () => Promise<ClockedEngine>): void {
  describe(`with ${name}, a clock that is set back by an hour`, () => {
    it('while a process runs does not delay waiting events', async () => {
      const engine = await createEngine();
      const set = await stage(engine);
      const held = deferred();
      const seen = notes<string>();
      const to = await set.open(
        async ({ key }) => {
          seen.add(key);
          await held.promise;
        },
        { concurrency: 1, leaseMs: LEASE_MS },
      );
      for (const key of ['running', 'waiting']) await to.accept(chatEvent(key, { key }));
      await seen.until(1);
      await engine.setClock(-AN_HOUR);
      await to.accept(chatEvent('running', { key: 'later' }));
      held.resolve();
      expect((await seen.until(3)).toSorted()).toEqual(['later', 'running', 'waiting']);
    });

    it('while no process runs does not delay waiting events', async () => {
      const engine = await createEngine();
      const set = await stage(engine);
      const before = await set.open(() => deferred().promise, { concurrency: 1 });
      for (const key of ['running', 'waiting']) await before.accept(chatEvent(key, { key }));
      await before.stop(1);
      await engine.setClock(-AN_HOUR);
      const seen = notes<string>();
      await set.open(({ key }) => seen.add(key));
      expect((await seen.until(2)).toSorted()).toEqual(['running', 'waiting']);
    });
  });

  describe(`with ${name}, a clock that is set forward by an hour`, () => {
    it('takes no conversation from a running process, and removes nothing early', async () => {
      const engine = await createEngine();
      const set = await stage(engine);
      const held = deferred();
      const seen = notes<string>();
      const handle = async ({ key }: { key: string }) => {
        seen.add(key);
        if (key.startsWith('long')) await held.promise;
      };
      const options = { leaseMs: LEASE_MS, rememberMs: AN_HOUR / 2 };
      const both = [await set.open(handle, options), await set.open(handle, options)];
      // Either process could check the other first after the clock was set.
      await both[0]?.accept(chatEvent('b', { key: 'long-1' }));
      await both[1]?.accept(chatEvent('c', { key: 'long-2' }));
      await seen.until(2);
      /** Both processes work on another conversation for the time of two leases. */
      const work = async (when: string): Promise<void> => {
        const began = performance.now();
        for (let number = 0; performance.now() - began < 2 * LEASE_MS; number += 1) {
          await both[number % 2]?.accept(chatEvent('d', { key: `${when} ${number}` }));
          await turn();
        }
      };
      await work('before');
      await engine.setClock(AN_HOUR);
      await work('after');
      held.resolve();
      await both[1]?.accept(chatEvent('c', { key: 'next' }));
      await eventually(() => expect(seen.all).toContain('next'));
      expect(seen.all.filter((key) => key.startsWith('long'))).toEqual(['long-1', 'long-2']);
      expect(await both[1]?.accept(chatEvent('b', { key: 'long-1' }))).toBe('duplicate');
    });
  });
}
