import { describe, expect, it } from 'vitest';
import { eventually } from '../../delivery/contract/stage.js';
import { openOne, openTwo, type StoreEngine, yesses } from './stage.js';

const CALLERS = 20;
const AN_HOUR = 3_600_000;

/** Idempotency keys, cursors and leases, which the bridge keeps in the store. */
export function bridgeState(engine: StoreEngine): void {
  describe('an idempotency key', () => {
    it('is added once, by the first caller, and every process sees it', async () => {
      const stores = await openTwo(engine);
      expect(await stores[0].hasIdempotencyKey('seen 1')).toBe(false);
      const made = await Promise.all(
        Array.from(
          { length: CALLERS },
          async (_, nth) => (await stores[nth % 2]?.addIdempotencyKey('seen 1', AN_HOUR)) ?? false,
        ),
      );
      expect(yesses(made)).toBe(1);
      for (const store of stores) expect(await store.hasIdempotencyKey('seen 1')).toBe(true);
      expect(await stores[1].addIdempotencyKey('seen 2', AN_HOUR)).toBe(true);
    });

    it('can be removed, and added again', async () => {
      const [store, other] = await openTwo(engine);
      await store.addIdempotencyKey('seen', AN_HOUR);
      await other.removeIdempotencyKey('seen');
      expect(await store.hasIdempotencyKey('seen')).toBe(false);
      expect(await store.addIdempotencyKey('seen', AN_HOUR)).toBe(true);
    });

    it('expires, and can then be added again once', async () => {
      const stores = await openTwo(engine);
      expect(await stores[0].addIdempotencyKey('seen', 30)).toBe(true);
      await eventually(async () => expect(await stores[1].hasIdempotencyKey('seen')).toBe(false));
      const made = await Promise.all(stores.map((store) => store.addIdempotencyKey('seen', AN_HOUR)));
      expect(yesses(made)).toBe(1);
    });
  });

  describe('a cursor', () => {
    it('moves only from its current position', async () => {
      const [store, other] = await openTwo(engine);
      expect(await store.cursor('desk')).toBeNull();
      expect(await store.moveCursor('desk', 'elsewhere', '1')).toBe(false);
      expect(await store.moveCursor('desk', null, '1')).toBe(true);
      expect(await other.moveCursor('desk', null, '2')).toBe(false);
      expect(await other.moveCursor('desk', '1', '2')).toBe(true);
      expect(await store.cursor('desk')).toBe('2');
      expect(await store.cursor('other desk')).toBeNull();
    });

    it('is moved by one of several callers', async () => {
      const stores = await openTwo(engine);
      await stores[0].moveCursor('desk', null, '1');
      const moved = await Promise.all(
        Array.from(
          { length: CALLERS },
          async (_, nth) => (await stores[nth % 2]?.moveCursor('desk', '1', `to ${nth}`)) ?? false,
        ),
      );
      expect(yesses(moved)).toBe(1);
      expect(await stores[0].cursor('desk')).toBe(`to ${moved.indexOf(true)}`);
    });
  });

  describe('a lease', () => {
    it('belongs to one owner, which may renew it', async () => {
      const [store, other] = await openTwo(engine);
      expect(await store.lease('poll', 'one', AN_HOUR)).toBe(true);
      expect(await other.lease('poll', 'other', AN_HOUR)).toBe(false);
      expect(await other.lease('poll', 'one', AN_HOUR)).toBe(true);
      expect(await other.lease('stream', 'other', AN_HOUR)).toBe(true);
    });

    it('is given to one of several callers', async () => {
      const stores = await openTwo(engine);
      const won = await Promise.all(
        Array.from(
          { length: CALLERS },
          async (_, nth) => (await stores[nth % 2]?.lease('poll', `owner ${nth}`, AN_HOUR)) ?? false,
        ),
      );
      expect(yesses(won)).toBe(1);
    });

    it('passes to another owner when it is released or expires', async () => {
      const store = await openOne(engine);
      await store.lease('poll', 'one', AN_HOUR);
      await store.release('poll', 'other');
      expect(await store.lease('poll', 'other', AN_HOUR)).toBe(false);
      await store.release('poll', 'one');
      expect(await store.lease('poll', 'other', 30)).toBe(true);
      await eventually(async () => expect(await store.lease('poll', 'one', AN_HOUR)).toBe(true));
      expect(await store.lease('poll', 'other', AN_HOUR)).toBe(false);
    });
  });
}
