import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Shelf } from '../../../src/delivery/index.js';
import { eventually } from '../contract/stage.js';

/** Two shelves on one store, as two processes have them; the same one twice where there is only one process. */
export type OpenShelves = () => Promise<readonly [Shelf, Shelf]>;

const doc = (id: string, version = 0, more: object = {}) => ({
  kind: 'note',
  id,
  value: { id },
  version,
  ...more,
});

/** What every shelf must do. */
export function describeShelf(open: OpenShelves): void {
  it('gives back what was put there, with its version', async () => {
    const [here, there] = await open();
    const written = await here.write({ put: [doc('a', 0, { value: { deep: [1, null, 'x'] } })] });
    expect(written?.docs).toMatchObject([
      { kind: 'note', id: 'a', version: 1, value: { deep: [1, null, 'x'] } },
    ]);
    expect(await there.get('note', 'a')).toEqual(written?.docs[0]);
    expect(await there.get('note', 'b')).toBeNull();
    expect(await there.get('other', 'a')).toBeNull();
  });

  it('keeps any text, in ids and values', async () => {
    const [here, there] = await open();
    const odd = 'a\0b \ud800 "\\" 😀 \u202e';
    await here.write({
      put: [doc(odd, 0, { value: { odd }, terms: odd, conversationId: odd })],
      append: [{ topic: 't', value: odd, conversationId: odd }],
    });
    expect(await there.get('note', odd)).toMatchObject({ id: odd, value: { odd } });
    expect(await there.list('note', { search: odd })).toHaveLength(1);
    expect(await there.read({ conversationId: odd })).toMatchObject([{ value: odd, conversationId: odd }]);
  });

  it('lets one of several win who change the same version', async () => {
    const [here, there] = await open();
    await here.write({ put: [doc('a')] });
    const tries = [here, there, here, there].map((shelf, index) =>
      shelf.write({ put: [doc('a', 1, { value: index })], append: [{ topic: 't', value: index }] }),
    );
    const won = (await Promise.all(tries)).filter((written) => written !== null);
    expect(won).toHaveLength(1);
    expect((await here.get('note', 'a'))?.version).toBe(2);
    expect(await there.read({ topics: ['t'] })).toHaveLength(1);
  });

  it('writes all of a change or nothing of it', async () => {
    const [here] = await open();
    await here.write({ put: [doc('taken')] });
    const refused = await here.write({
      put: [doc('new'), doc('taken')],
      remove: [{ kind: 'note', id: 'taken' }],
      append: [{ topic: 't', value: 1 }],
    });
    expect(refused).toBeNull();
    expect(await here.get('note', 'new')).toBeNull();
    expect(await here.get('note', 'taken')).toMatchObject({ version: 1 });
    expect(await here.head()).toBe(0);
  });

  it('removes, and lets a removed name be new again', async () => {
    const [here, there] = await open();
    await here.write({ put: [doc('a')] });
    await there.write({ remove: [{ kind: 'note', id: 'a' }] });
    expect(await here.get('note', 'a')).toBeNull();
    expect(await here.write({ put: [doc('a')] })).not.toBeNull();
  });

  it('lists by rank, group and search, a page at a time', async () => {
    const [here, there] = await open();
    const put = ['a', 'b', 'c', 'd'].map((id, index) =>
      doc(id, 0, { rank: index, group: index % 2 ? 'odd' : 'even', terms: `Number ${id} 100%_` }),
    );
    await here.write({ put });
    const ids = async (...filter: Parameters<Shelf['list']>) =>
      (await there.list(...filter)).map(({ id }) => id);
    expect(await ids('note')).toEqual(['d', 'c', 'b', 'a']);
    expect(await ids('note', { group: 'odd' })).toEqual(['d', 'b']);
    expect(await ids('note', { belowRank: 2, limit: 1 })).toEqual(['b']);
    expect(await ids('note', { search: 'NUMBER C' })).toEqual(['c']);
    expect(await ids('note', { search: '%' })).toHaveLength(4);
    expect(await ids('note', { search: 'x%' })).toEqual([]);
    expect(await there.count('note')).toEqual({ even: 2, odd: 2 });
  });

  it('reads the journal forwards and backwards, by topic and conversation', async () => {
    const [here, there] = await open();
    for (let index = 1; index <= 6; index += 1) {
      const conversationId = index % 2 ? 'x' : 'y';
      await here.write({ append: [{ topic: index > 3 ? 'late' : 'early', value: index, conversationId }] });
    }
    const values = async (filter: Parameters<Shelf['read']>[0]) =>
      (await there.read(filter)).map(({ value }) => value);
    const [first] = await there.read({ limit: 1 });
    expect(await values({})).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await values({ after: first?.seq ?? 0, limit: 2 })).toEqual([2, 3]);
    expect(await values({ before: (await there.head()) + 1, limit: 2 })).toEqual([5, 6]);
    expect(await values({ topics: ['late'], conversationId: 'x' })).toEqual([5]);
  });

  it('never shows an entry before one that comes earlier', async () => {
    const [here, there] = await open();
    const seen: number[] = [];
    const writing = Array.from({ length: 60 }, (_, index) =>
      (index % 2 ? here : there).write({ append: [{ topic: 't', value: index }] }),
    );
    let done = false;
    const all = Promise.all(writing).then(() => {
      done = true;
    });
    for (let last = 0; !done || (await there.head()) > last; ) {
      const entries = await there.read({ after: last, limit: 7 });
      seen.push(...entries.map(({ seq }) => seq));
      last = entries.at(-1)?.seq ?? last;
      // Some read without letting go of the turn, and nothing would ever be written.
      await setImmediate();
    }
    await all;
    expect(seen).toHaveLength(60);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('tells those who watch of entries, from here and from elsewhere', async () => {
    const [here, there] = await open();
    let told = 0;
    const stop = here.watch(() => {
      told += 1;
    });
    await here.write({ append: [{ topic: 't', value: 1 }] });
    await eventually(() => expect(told).toBeGreaterThan(0));
    const before = told;
    await there.write({ append: [{ topic: 't', value: 2 }] });
    await eventually(() => expect(told).toBeGreaterThan(before));
    stop();
    const last = told;
    await here.write({ append: [{ topic: 't', value: 3 }] });
    expect(told).toBe(last);
  });

  it('forgets a conversation, and what is old of a group', async () => {
    const [here, there] = await open();
    await here.write({
      put: [doc('a', 0, { conversationId: 'x' }), doc('b', 0, { conversationId: 'y', group: 'closed' })],
      append: [
        { topic: 't', value: 1, conversationId: 'x' },
        { topic: 't', value: 2 },
      ],
    });
    await there.forget(['x']);
    expect((await here.list('note')).map(({ id }) => id)).toEqual(['b']);
    expect(await here.read()).toMatchObject([{ value: 2 }]);
    await there.prune(new Date(Date.now() + 1_000), { kind: 'note', group: 'closed' });
    expect(await here.list('note')).toEqual([]);
    expect(await here.read()).toEqual([]);
  });
}
