import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { type Engine, notes, stage } from './stage.js';

/** Concurrency, and several processes on one store. */
export function sharing(engine: Engine): void {
  describe('concurrency', () => {
    it('limits how many conversations are handled at once', async () => {
      const LIMIT = 3;
      const COUNT = LIMIT * 3;
      const done = notes<string>();
      const full = deferred();
      let inside = 0;
      let most = 0;
      const to = await (await stage(engine)).open(
        async ({ conversationId }) => {
          inside += 1;
          most = Math.max(most, inside);
          // With a lower limit, they would wait for each other forever.
          if (inside === LIMIT) full.resolve();
          await full.promise;
          await turn();
          inside -= 1;
          done.add(conversationId);
        },
        { concurrency: LIMIT },
      );
      await Promise.all(Array.from({ length: COUNT }, (_, index) => to.accept(chatEvent(`c-${index}`))));
      await done.until(COUNT);
      expect(most).toBe(LIMIT);
    });
  });

  describe('two processes on one store', () => {
    it('share the work', async () => {
      const set = await stage(engine);
      const both = deferred();
      const inside = new Set<string>();
      const meet = (name: string) => async () => {
        inside.add(name);
        if (inside.size === 2) both.resolve();
        await both.promise;
      };
      const first = await set.open(meet('first'), { concurrency: 1 });
      await set.open(meet('second'), { concurrency: 1 });
      await Promise.all(['a', 'b'].map((id) => first.accept(chatEvent(id))));
      await both.promise;
    });

    it('handle each event once, one at a time per conversation, in order of arrival', async () => {
      const set = await stage(engine);
      const ids = Array.from({ length: 12 }, (_, index) => `c-${index}`);
      const TURNS = 6;
      const seen = notes<string>();
      const ended = notes<string>();
      const handle = async ({ key }: { key: string }) => {
        seen.add(`${key} begins`);
        await turn();
        seen.add(`${key} ends`);
        ended.add(key);
      };
      const first = await set.open(handle);
      const second = await set.open(handle);
      for (let at = 0; at < TURNS; at += 1) {
        const accepted = ids.map((id, index) =>
          ((at + index) % 2 === 0 ? first : second).accept(chatEvent(id, { key: `${id}:${at}` })),
        );
        expect(await Promise.all(accepted)).toEqual(ids.map(() => 'stored'));
      }
      await ended.until(ids.length * TURNS);
      await Promise.all([first.stop(), second.stop()]);
      for (const id of ids) {
        const expected = Array.from({ length: TURNS }, (_, at) => [`${id}:${at} begins`, `${id}:${at} ends`]);
        expect(seen.all.filter((note) => note.startsWith(`${id}:`))).toEqual(expected.flat());
      }
    });

    it('recognise each other’s events as repeats', async () => {
      const set = await stage(engine);
      const seen = notes<string>();
      const first = await set.open(({ key }) => seen.add(key));
      const second = await set.open(({ key }) => seen.add(key));
      expect(await first.accept(chatEvent('c', { key: 'same' }))).toBe('stored');
      expect(await second.delivery.seen(chatEvent('c', { key: 'same' }))).toBe(true);
      expect(await second.accept(chatEvent('c', { key: 'same' }))).toBe('duplicate');
      await second.accept(chatEvent('c', { key: 'after' }));
      expect(await seen.until(2)).toEqual(['same', 'after']);
    });
  });
}
