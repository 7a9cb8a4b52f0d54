import { describe, expect, it } from 'vitest';
import { eventually } from '../../delivery/contract/stage.js';
import { fresh, link, openTwo, type StoreEngine, user } from './stage.js';

const AN_HOUR = 3_600_000;

/** Removing a user's data, and old data. */
export function forgetting(engine: StoreEngine): void {
  describe('forgetting a user', () => {
    it('removes their conversations by each of their ids, and no others', async () => {
      const [store, other] = await openTwo(engine);
      const ada = user({ key: 'user:ada', userId: 'ada', anonymousId: 'anonymous-1' });
      await store.create(fresh('hers', { user: ada }));
      await store.update('hers', 1, { link: link('7') });
      await store.create(fresh('hers too', { user: user({ key: 'anonymous:ada', anonymousId: 'ada' }) }));
      await store.create(fresh('hers by device', { user: ada }));
      await store.create(
        fresh('his', { user: user({ key: 'user:bob', userId: 'bob', anonymousId: 'ada-2' }) }),
      );
      await store.create(fresh('ada'));

      expect(await other.forget('unknown-user')).toBe(0);
      expect(await other.forget('ada')).toBe(3);
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(['ada', 'his']);
      expect(await store.findByLink('desk', '7')).toBeNull();
      expect(await store.forget('anonymous-1')).toBe(0);
      expect(await store.forget('ada-2')).toBe(1);
    });

    it('uses the ids of the latest request', async () => {
      const [store] = await openTwo(engine);
      await store.create(fresh('c', { user: user({ userId: 'ada' }) }));
      await store.update('c', 1, { user: user({ userId: 'bob' }) });
      expect(await store.forget('ada')).toBe(0);
      expect(await store.forget('bob')).toBe(1);
    });
  });

  describe('pruning', () => {
    it('removes conversations that were closed before the time, and no others', async () => {
      const [store, other] = await openTwo(engine);
      const before = new Date(2_000);
      const ending = (at: number) => ({ by: 'user' as const, reason: null, at: new Date(at) });
      for (const id of ['closed', 'failed', 'closing', 'later', 'open']) {
        await store.create(fresh(id));
        if (id !== 'open')
          await store.update(id, 1, { closure: ending(id === 'later' ? 2_000 : 1_999), state: 'closed' });
      }
      await store.update('failed', 2, { state: 'failed' });
      await store.update('closing', 2, { state: 'closing' });
      await store.update('later', 2, { link: link('7') });

      expect(await other.prune(before)).toBe(3);
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(['later', 'open']);
      expect(await other.prune(before)).toBe(0);
      expect(await store.findByLink('desk', '7')).toMatchObject({ id: 'later' });
    });

    it('removes expired idempotency keys, and no others', async () => {
      const [store] = await openTwo(engine);
      await store.addIdempotencyKey('short', 1);
      await store.addIdempotencyKey('long', AN_HOUR);
      await eventually(async () => expect(await store.hasIdempotencyKey('short')).toBe(false));
      await store.prune(new Date(0));
      expect(await store.hasIdempotencyKey('long')).toBe(true);
      expect(await store.addIdempotencyKey('short', AN_HOUR)).toBe(true);
    });
  });
}
