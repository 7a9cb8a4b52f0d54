import { describe, expect, it } from 'vitest';
import { createMemoryHandoffStore } from '../../src/handoff/index.js';
import { fresh, link } from './contract/stage.js';

const ids = async (store: ReturnType<typeof createMemoryHandoffStore>): Promise<string[]> =>
  (await store.list()).map(({ id }) => id).sort();

describe('conversations in memory', () => {
  it('are removed to make room: the oldest closed conversations first', async () => {
    const store = createMemoryHandoffStore({ maxConversations: 4 });
    for (const id of ['a', 'b', 'c', 'd']) await store.create(fresh(id));
    await store.update('d', 1, { link: link('7') });
    await store.update('d', 2, { state: 'failed' });
    await store.update('b', 1, { state: 'closed' });
    await store.create(fresh('e'));
    expect(await ids(store)).toEqual(['a', 'b', 'c', 'e']);
    expect(await store.findByLink('desk', '7')).toBeNull();
    await store.create(fresh('f'));
    expect(await ids(store)).toEqual(['a', 'c', 'e', 'f']);
  });

  it('are removed by the oldest change when none is closed', async () => {
    const store = createMemoryHandoffStore({ maxConversations: 2 });
    for (const id of ['a', 'b']) await store.create(fresh(id));
    await store.update('a', 1, { state: 'waiting' });
    await store.create(fresh('c'));
    expect(await ids(store)).toEqual(['a', 'c']);
  });

  it('keep their transcript with keepContent', async () => {
    const store = createMemoryHandoffStore({ keepContent: true });
    await store.create(fresh('c', { transcript: [{ from: 'user', text: 'help' }] }));
    expect(await store.update('c', 1, { state: 'closed' })).toMatchObject({ transcript: [{ text: 'help' }] });
  });
});

describe('idempotency keys in memory', () => {
  it('are limited in number: the oldest are removed first', async () => {
    const store = createMemoryHandoffStore({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'd']) await store.addIdempotencyKey(key, 60_000);
    const held = await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.hasIdempotencyKey(key)));
    expect(held).toEqual([false, true, true, true]);
  });

  it('are removed when they expire, before others that are older', async () => {
    let now = 0;
    const store = createMemoryHandoffStore({ maxKeys: 3, now: () => now });
    await store.addIdempotencyKey('long', 1_000);
    await store.addIdempotencyKey('short', 10);
    await store.addIdempotencyKey('other', 1_000);
    now = 10;
    await store.addIdempotencyKey('new', 1_000);
    const held = await Promise.all(
      ['long', 'short', 'other', 'new'].map((key) => store.hasIdempotencyKey(key)),
    );
    expect(held).toEqual([true, false, true, true]);
  });

  it('are kept until they expire, and leases too', async () => {
    let now = 0;
    const store = createMemoryHandoffStore({ now: () => now });
    await store.addIdempotencyKey('seen', 10);
    await store.lease('poll', 'one', 10);
    now = 9;
    expect(await store.hasIdempotencyKey('seen')).toBe(true);
    expect(await store.lease('poll', 'other', 10)).toBe(false);
    now = 10;
    expect(await store.hasIdempotencyKey('seen')).toBe(false);
    expect(await store.lease('poll', 'other', 10)).toBe(true);
  });
});
