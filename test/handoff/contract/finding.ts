import { describe, expect, it } from 'vitest';
import type { HandoffStore } from '../../../src/handoff/index.js';
import type { Conversation, ConversationFilter, ConversationState } from '../../../src/public/index.js';
import { fresh, link, openOne, openTwo, type StoreEngine, user } from './stage.js';

const idsOf = (conversations: readonly Conversation[]): string[] => conversations.map(({ id }) => id);

/** Reads all pages of a filter. */
async function readAll(store: HandoffStore, filter: ConversationFilter): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Conversation | undefined; ; ) {
    const page = await store.list({ ...filter, ...(after && { after }) });
    ids.push(...idsOf(page));
    after = page.at(-1);
    // A page that repeats forever must fail the test, not hang it.
    if (!after || ids.length > 1_000) return ids;
  }
}

/** Looking conversations up. */
export function finding(engine: StoreEngine): void {
  describe('a conversation that an adapter knows by its own id', () => {
    it('is found by that id, for that adapter only', async () => {
      const [store, other] = await openTwo(engine);
      await store.create(fresh('c'));
      expect(await store.findByLink('desk', '7')).toBeNull();
      await store.update('c', 1, { link: link('7') });
      expect(await other.findByLink('desk', '7')).toMatchObject({ id: 'c' });
      expect(await other.findByLink('desk', '8')).toBeNull();
      expect(await other.findByLink('other-desk', '7')).toBeNull();
      await store.update('c', 2, { link: null });
      expect(await other.findByLink('desk', '7')).toBeNull();
    });

    it('is the latest of several conversations with that id', async () => {
      const store = await openOne(engine);
      for (const [id, requestedAt] of [
        ['new', 3_000],
        ['old', 1_000],
        ['older', 500],
      ] as const) {
        await store.create(fresh(id, { requestedAt: new Date(requestedAt) }));
        await store.update(id, 1, { link: link('7') });
      }
      expect(await store.findByLink('desk', '7')).toMatchObject({ id: 'new' });
    });
  });

  describe('a list', () => {
    const some = async (): Promise<HandoffStore> => {
      const store = await openOne(engine);
      const made: [string, ConversationState, string, string | null][] = [
        ['a', 'requested', 'user:ada', null],
        ['b', 'waiting', 'user:bob', 'desk'],
        ['c', 'connected', 'user:ada', 'desk'],
        ['d', 'closed', 'user:ada', 'other-desk'],
      ];
      for (const [id, state, key, adapter] of made) {
        await store.create(fresh(id, { user: user({ key }) }));
        await store.update(id, 1, { state, link: adapter === null ? null : link(id, adapter) });
      }
      return store;
    };
    const sorted = async (store: HandoffStore, filter?: ConversationFilter): Promise<string[]> =>
      idsOf(await store.list(filter)).sort();

    it('has all conversations, or filters by state, user or adapter', async () => {
      const store = await some();
      expect(await sorted(store)).toEqual(['a', 'b', 'c', 'd']);
      expect(await sorted(store, { states: ['waiting', 'closed'] })).toEqual(['b', 'd']);
      expect(await sorted(store, { states: [] })).toEqual([]);
      expect(await sorted(store, { userKey: 'user:ada' })).toEqual(['a', 'c', 'd']);
      expect(await sorted(store, { adapter: 'desk' })).toEqual(['b', 'c']);
      expect(await sorted(store, { adapter: 'desk', states: ['connected', 'closed'] })).toEqual(['c']);
      expect(await sorted(store, { userKey: 'user:ada', states: ['closed'], adapter: 'other-desk' })).toEqual(
        ['d'],
      );
      expect(await sorted(store, { userKey: 'user:bob', adapter: 'other-desk' })).toEqual([]);
    });

    it('filters by whether a conversation is linked to a helpdesk', async () => {
      const store = await some();
      expect(await sorted(store, { linked: true })).toEqual(['b', 'c', 'd']);
      expect(await sorted(store, { linked: false })).toEqual(['a']);
      expect(await sorted(store, { linked: true, userKey: 'user:ada', states: ['connected'] })).toEqual([
        'c',
      ]);
    });

    it('starts with the latest change', async () => {
      const store = await openOne(engine);
      for (const id of ['a', 'b', 'c']) await store.create(fresh(id));
      // Changes within one millisecond have no order, so the last change is made later.
      for (let version = 1; ; version += 1) {
        const changed = await store.update('a', version, { state: 'waiting' });
        const others = await Promise.all([store.get('b'), store.get('c')]);
        if (changed && others.every((each) => each && each.changedAt < changed.changedAt)) break;
      }
      expect((await store.list({ limit: 1 }))[0]?.id).toBe('a');
      const [last] = await store.list();
      if (!last) throw new Error('the list is empty');
      expect(await sorted(store, { changedBefore: last.changedAt })).toEqual(['b', 'c']);
      expect(await sorted(store, { changedAfter: new Date(last.changedAt.getTime() - 1) })).toContain('a');
      expect(await sorted(store, { changedAfter: last.changedAt })).toEqual([]);
    });

    it('can be read page by page, each conversation once, even if many changed at the same time', async () => {
      const store = await openOne(engine);
      const ids = Array.from({ length: 50 }, (_, nth) => `c-${nth}`).sort();
      await Promise.all(ids.map((id) => store.create(fresh(id))));
      await Promise.all(ids.slice(0, 20).map((id) => store.update(id, 1, { state: 'closed' })));
      for (const filter of [{ limit: 7 }, { limit: 7, userKey: user().key }]) {
        const read = await readAll(store, filter);
        expect(read).toHaveLength(ids.length);
        expect(read.sort()).toEqual(ids);
      }
      expect((await readAll(store, { limit: 7, states: ['closed'] })).sort()).toEqual(ids.slice(0, 20));
    });
  });
}
