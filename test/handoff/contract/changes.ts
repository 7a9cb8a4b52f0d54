import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../src/public/index.js';
import { fresh, link, openOne, openTwo, type StoreEngine, user, yesses } from './stage.js';

const CALLERS = 20;

/** Creating a conversation, and changing it. */
export function changes(engine: StoreEngine): void {
  describe('creating a conversation', () => {
    it('stores it unchanged', async () => {
      const store = await openOne(engine);
      const asked = fresh('c', {
        user: user({ key: 'user:ada', userId: 'ada', email: 'ada@example.com', phone: '+1' }),
        botId: 'bot',
        transcript: [{ from: 'user', text: 'help' }],
      });
      const { conversation, created } = await store.create(asked);
      expect(created).toBe(true);
      expect(conversation).toEqual({
        ...asked,
        session: 1,
        state: 'requested',
        version: 1,
        firstReplyAt: null,
        agentName: null,
        link: null,
        closure: null,
        changedAt: expect.any(Date) as Date,
      });
      expect(await store.get('c')).toEqual(conversation);
      expect(await store.get('d')).toBeNull();
    });

    it('succeeds for one of several callers at the same time', async () => {
      const stores = await openTwo(engine);
      const claims = await Promise.all(
        Array.from({ length: CALLERS }, async (_, nth) =>
          stores[nth % 2]?.create(fresh('c', { requestKey: `key ${nth}` })),
        ),
      );
      expect(yesses(claims.map((claim) => claim?.created === true))).toBe(1);
      const winner = claims.find((claim) => claim?.created)?.conversation;
      for (const claim of claims) expect(claim?.conversation).toEqual(winner);
    });
  });

  describe('a change', () => {
    it('applies to the version that it names', async () => {
      const store = await openOne(engine);
      await store.create(fresh('c'));
      const at = new Date();
      const changed = await store.update('c', 1, {
        state: 'closing',
        session: 2,
        agentName: 'Bo',
        firstReplyAt: at,
        link: { adapter: 'desk', externalId: '7', url: 'https://desk/7', extra: { contact: '9' } },
        closure: { by: 'agent', reason: 'resolved', at },
      });
      expect(changed).toMatchObject({ state: 'closing', session: 2, version: 2, agentName: 'Bo' });
      expect(changed).toMatchObject({ firstReplyAt: at, closure: { by: 'agent', reason: 'resolved', at } });
      expect(await store.get('c')).toEqual(changed);
    });

    it('is refused for an outdated version, and for an unknown conversation', async () => {
      const [one, other] = await openTwo(engine);
      await one.create(fresh('c'));
      expect(await other.update('c', 1, { state: 'waiting' })).toMatchObject({ version: 2 });
      expect(await one.update('c', 1, { state: 'failed' })).toBeNull();
      expect(await one.update('d', 1, { state: 'failed' })).toBeNull();
      expect(await one.get('c')).toMatchObject({ state: 'waiting', version: 2 });
    });

    it('succeeds once among several changes of the same version', async () => {
      const stores = await openTwo(engine);
      await stores[0].create(fresh('c'));
      const made = await Promise.all(
        Array.from({ length: CALLERS }, async (_, nth) =>
          stores[nth % 2]?.update('c', 1, { agentName: `${nth}` }),
        ),
      );
      const winners = made.filter((each): each is Conversation => Boolean(each));
      expect(winners).toHaveLength(1);
      expect(await stores[1].get('c')).toEqual(winners[0]);
    });

    it('is never lost when many callers retry until they succeed', async () => {
      const stores = await openTwo(engine);
      await stores[0].create(fresh('c'));
      const count = async (nth: number): Promise<void> => {
        const store = stores[nth % 2] ?? stores[0];
        for (let done = false; !done; ) {
          const found = await store.get('c');
          if (!found) throw new Error('it is gone');
          done = (await store.update('c', found.version, { session: found.session + 1 })) !== null;
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, (_, nth) => count(nth)));
      expect(await stores[0].get('c')).toMatchObject({ session: 1 + CALLERS, version: 1 + CALLERS });
    });

    it('that closes the conversation removes its transcript', async () => {
      const store = await openOne(engine);
      for (const state of ['closed', 'failed'] as const) {
        await store.create(fresh(state, { transcript: [{ from: 'user', text: 'my secret' }] }));
        expect(await store.update(state, 1, { link: link('7') })).toMatchObject({ transcript: [{}] });
        expect(await store.update(state, 2, { state })).toMatchObject({ transcript: [] });
        expect(await store.get(state)).toMatchObject({ transcript: [] });
      }
    });
  });
}
