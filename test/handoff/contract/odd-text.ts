import { describe, expect, it } from 'vitest';
import { fresh, openTwo, type StoreEngine, user } from './stage.js';

const ODD = [
  '\0',
  'a\0b',
  '\ud800',
  '\udc00',
  '"',
  "'",
  '\\',
  '\\u0000',
  '',
  '漢字',
  'مرحبا',
  '🙂',
  '%_',
  '\n',
];

/** Ids and texts come from other systems, and may contain any characters. */
export function oddText(engine: StoreEngine): void {
  describe('any text', () => {
    it('is stored unchanged, and distinguished from similar text', async () => {
      const [store, other] = await openTwo(engine);
      for (const odd of ODD) {
        const asked = fresh(odd, {
          user: user({ key: `user:${odd}`, userId: odd, anonymousId: `a${odd}`, email: odd, phone: odd }),
          botId: odd,
          requestKey: odd,
          transcript: [{ from: 'other', text: odd }],
        });
        expect((await store.create(asked)).created).toBe(true);
        const place = { adapter: odd, externalId: odd, url: odd, extra: { [odd]: odd } };
        await store.update(odd, 1, { link: place, agentName: odd });
        expect(await other.get(odd)).toMatchObject({ ...asked, link: place, agentName: odd });
      }
      for (const odd of ODD) {
        expect(await other.findByLink(odd, odd)).toMatchObject({ id: odd });
        expect(await other.list({ userKey: `user:${odd}` })).toMatchObject([{ id: odd }]);
        expect(await other.list({ adapter: odd })).toMatchObject([{ id: odd }]);
      }
      for (const odd of ODD) expect(await other.forget(odd)).toBe(1);
    });

    it('works in idempotency keys, cursors and leases', async () => {
      const [store, other] = await openTwo(engine);
      for (const odd of ODD) {
        expect(await store.addIdempotencyKey(odd, 60_000)).toBe(true);
        expect(await store.moveCursor(odd, null, odd)).toBe(true);
        expect(await store.lease(odd, odd, 60_000)).toBe(true);
      }
      for (const odd of ODD) {
        expect(await other.hasIdempotencyKey(odd)).toBe(true);
        expect(await other.cursor(odd)).toBe(odd);
        expect(await other.moveCursor(odd, odd, `${odd}!`)).toBe(true);
        expect(await other.lease(odd, `${odd}!`, 60_000)).toBe(false);
      }
    });

    it('may be very long', async () => {
      const [store, other] = await openTwo(engine);
      const long = 'ż'.repeat(20_000);
      await store.create(fresh(long, { user: user({ key: long, userId: long }) }));
      await store.addIdempotencyKey(long, 60_000);
      expect(await other.hasIdempotencyKey(long)).toBe(true);
      expect(await other.list({ userKey: long })).toMatchObject([{ id: long }]);
      expect(await other.forget(long)).toBe(1);
    });
  });
}
