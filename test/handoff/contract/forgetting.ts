import { describe, expect, it } from 'vitest';
import { eventually } from '../../delivery/contract/stage.js';
import { fresh, link, openTwo, type StoreEngine, user } from './stage.js';

const AN_HOUR = 3_600_000;

/** What is removed, and what stays. */
export function forgetting(engine: StoreEngine): void {
  describe('forgetting a person', () => {
    it('removes their conversations by each of their ids, and nobody else’s', async () => {
      const [store, other] = await openTwo(engine);
      const ada = user({ key: 'user:ada', userId: 'ada', anonymousId: 'anonymous-1' });
      await store.claim(fresh('hers', { user: ada }));
      await store.change('hers', 1, { link: link('7') });
      await store.claim(fresh('hers too', { user: user({ key: 'anonymous:ada', anonymousId: 'ada' }) }));
      await store.claim(fresh('hers by device', { user: ada }));
      await store.claim(
        fresh('his', { user: user({ key: 'user:bob', userId: 'bob', anonymousId: 'ada-2' }) }),
      );
      await store.claim(fresh('ada'));

      expect(await other.forget('nobody')).toBe(0);
      expect(await other.forget('ada')).toBe(3);
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(['ada', 'his']);
      expect(await store.byLink('desk', '7')).toBeNull();
      expect(await store.forget('anonymous-1')).toBe(0);
      expect(await store.forget('ada-2')).toBe(1);
    });

    it('goes by who asked last', async () => {
      const [store] = await openTwo(engine);
      await store.claim(fresh('c', { user: user({ userId: 'ada' }) }));
      await store.change('c', 1, { user: user({ userId: 'bob' }) });
      expect(await store.forget('ada')).toBe(0);
      expect(await store.forget('bob')).toBe(1);
    });
  });

  describe('pruning', () => {
    it('removes what ended before the time, and leaves what ended since or goes on', async () => {
      const [store, other] = await openTwo(engine);
      const before = new Date(2_000);
      const ending = (at: number) => ({ by: 'user' as const, why: null, at: new Date(at) });
      for (const id of ['closed', 'failed', 'closing', 'later', 'open']) {
        await store.claim(fresh(id));
        if (id !== 'open')
          await store.change(id, 1, { ending: ending(id === 'later' ? 2_000 : 1_999), state: 'closed' });
      }
      await store.change('failed', 2, { state: 'failed' });
      await store.change('closing', 2, { state: 'closing' });
      await store.change('later', 2, { link: link('7') });

      expect(await other.prune(before)).toBe(3);
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(['later', 'open']);
      expect(await other.prune(before)).toBe(0);
      expect(await store.byLink('desk', '7')).toMatchObject({ id: 'later' });
    });

    it('removes notes whose time has passed, and no others', async () => {
      const [store] = await openTwo(engine);
      await store.mark('short', 1);
      await store.mark('long', AN_HOUR);
      await eventually(async () => expect(await store.isMarked('short')).toBe(false));
      await store.prune(new Date(0));
      expect(await store.isMarked('long')).toBe(true);
      expect(await store.mark('short', AN_HOUR)).toBe(true);
    });
  });
}
