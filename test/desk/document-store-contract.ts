import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { DocumentStore } from '../../src/desk/server/store/index.js';
import { eventually } from './agent-client.js';

/** Opens two stores on the same data, as two processes do. A store in memory is given twice. */
export type OpenStores = () => Promise<readonly [DocumentStore, DocumentStore]>;

const note = (id: string, version = 0, more: object = {}) => ({
  kind: 'note',
  id,
  value: { id },
  version,
  ...more,
});

/** The tests that every {@link DocumentStore} passes. */
export function testDocumentStore(open: OpenStores): void {
  it('gives documents back with their version', async () => {
    const [here, there] = await open();
    await here.write({ put: [note('a', 0, { value: { deep: [1, null, 'x'] } })] });
    expect(await there.get('note', 'a')).toMatchObject({
      kind: 'note',
      id: 'a',
      version: 1,
      value: { deep: [1, null, 'x'] },
    });
    expect(Math.abs(Date.now() - ((await there.get('note', 'a'))?.changedAt.getTime() ?? 0))).toBeLessThan(
      60_000,
    );
    expect(await there.get('note', 'b')).toBeNull();
    expect(await there.get('other', 'a')).toBeNull();
  });

  it('stores any text in ids, values, terms and conversation ids', async () => {
    const [here, there] = await open();
    const odd = 'a\0b \ud800 "\\" 😀 \u202e';
    await here.write({
      put: [note(odd, 0, { value: { odd }, terms: odd, conversationId: odd })],
      append: [{ topic: 't', value: odd, conversationId: odd }],
    });
    expect(await there.get('note', odd)).toMatchObject({ id: odd, value: { odd } });
    expect(await there.list('note', { search: odd })).toHaveLength(1);
    expect(await there.read({ conversationId: odd })).toMatchObject([{ value: odd }]);
  });

  it('searches entries of a topic by their terms, newest first', async () => {
    const [here, there] = await open();
    const odd = 'a\0b 100% _ "\\" 没有 😀';
    for (const [value, terms] of Object.entries({
      first: 'Lyon ÄRGER',
      second: odd,
      third: 'in LYON',
      fourth: '',
    }))
      await here.write({ append: [{ topic: 't', value, terms, conversationId: value }] });
    await here.write({ append: [{ topic: 'other', value: 'fifth', terms: 'lyon' }] });
    const search = async (text: string, limit = 10) =>
      (await there.search('t', text, limit)).map(({ value }) => value);
    expect(await search('lyon')).toEqual(['third', 'first']);
    expect(await search('lyon', 1)).toEqual(['third']);
    expect(await search('ärger')).toEqual(['first']);
    expect(await search(odd)).toEqual(['second']);
    expect(await search('%')).toEqual(['second']);
    await here.forget(['third']);
    expect(await search('lyon')).toEqual(['first']);
  });

  it('tells long conversation ids apart', async () => {
    const [here, there] = await open();
    const long = 'x'.repeat(5_000);
    const ids = [`${long}1`, `${long}2`];
    for (const conversationId of ids)
      await here.write({ append: [{ topic: 't', value: 1, conversationId }] });
    await there.forget(ids.slice(1));
    expect(await there.read({ conversationId: ids[0] ?? '' })).toHaveLength(1);
    expect(await there.read({ conversationId: ids[1] ?? '' })).toEqual([]);
  });

  it('lets one of several concurrent writers of a version win', async () => {
    const [here, there] = await open();
    await here.write({ put: [note('a')] });
    const tries = [here, there, here, there].map((store, index) =>
      store.write({ put: [note('a', 1, { value: index })], append: [{ topic: 't', value: index }] }),
    );
    const won = (await Promise.all(tries)).filter((written) => written !== null);
    expect(won).toHaveLength(1);
    expect((await here.get('note', 'a'))?.version).toBe(2);
    expect(await there.read({ topics: ['t'] })).toHaveLength(1);
  });

  it('commits a whole change or nothing', async () => {
    const [here] = await open();
    await here.write({ put: [note('taken')] });
    const outdated = await here.write({
      put: [note('new'), note('taken')],
      remove: [{ kind: 'note', id: 'taken' }],
      append: [{ topic: 't', value: 1 }],
    });
    expect(outdated).toBeNull();
    expect(await here.get('note', 'new')).toBeNull();
    expect(await here.get('note', 'taken')).toMatchObject({ version: 1 });
    expect(await here.head()).toBe(0);
  });

  it('lets the id of a removed document be used again', async () => {
    const [here, there] = await open();
    await here.write({ put: [note('a')] });
    await there.write({ remove: [{ kind: 'note', id: 'a' }] });
    expect(await here.get('note', 'a')).toBeNull();
    expect(await here.write({ put: [note('a')] })).not.toBeNull();
  });

  it('lists by rank, group and search, a page at a time', async () => {
    const [here, there] = await open();
    const put = ['a', 'b', 'c', 'd'].map((id, index) =>
      note(id, 0, { rank: index, group: index % 2 ? 'odd' : 'even', terms: `Number ${id} 100%_` }),
    );
    await here.write({ put });
    const ids = async (...filter: Parameters<DocumentStore['list']>) =>
      (await there.list(...filter)).map(({ id }) => id);
    expect(await ids('note')).toEqual(['d', 'c', 'b', 'a']);
    expect(await ids('note', { group: 'odd' })).toEqual(['d', 'b']);
    expect(await ids('note', { belowRank: 2, limit: 1 })).toEqual(['b']);
    await here.write({
      put: [note('e', 0, { rank: 1, group: 'tie' }), note('0', 0, { rank: 1, group: 'tie' })],
    });
    expect(await ids('note', { belowRank: 1, afterId: '0' })).toEqual(['b', 'e', 'a']);
    expect(await ids('note', { belowRank: 1, afterId: 'b', limit: 1 })).toEqual(['e']);
    await here.write({ remove: ['e', '0'].map((id) => ({ kind: 'note', id })) });
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
    const values = async (filter: Parameters<DocumentStore['read']>[0]) =>
      (await there.read(filter)).map(({ value }) => value);
    const [first] = await there.read({ limit: 1 });
    expect(await values({})).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await values({ after: first?.seq ?? 0, limit: 2 })).toEqual([2, 3]);
    expect(await values({ before: (await there.head()) + 1, limit: 2 })).toEqual([5, 6]);
    expect(await values({ topics: ['late'], conversationId: 'x' })).toEqual([5]);
  });

  it('never shows an entry after one with a higher number', async () => {
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
      // A synchronous driver reads without yielding to the writers.
      await setImmediate();
    }
    await all;
    expect(seen).toHaveLength(60);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('notifies watchers of entries from this and from another process', async () => {
    const [here, there] = await open();
    let calls = 0;
    const stop = here.watch(() => {
      calls += 1;
    });
    const written = await here.write({ append: [{ topic: 't', value: 1 }] });
    expect(written?.entries).toEqual(await there.read());
    await eventually(() => expect(calls).toBeGreaterThan(0));
    const before = calls;
    await there.write({ append: [{ topic: 't', value: 2 }] });
    await eventually(() => expect(calls).toBeGreaterThan(before));
    stop();
    const last = calls;
    await here.write({ append: [{ topic: 't', value: 3 }] });
    expect(calls).toBe(last);
  });

  it('forgets conversations and prunes old documents of a group', async () => {
    const [here, there] = await open();
    await here.write({
      put: [note('a', 0, { conversationId: 'x' }), note('b', 0, { conversationId: 'y', group: 'closed' })],
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
    expect(await here.read()).toMatchObject([{ value: 2 }]);
    await there.pruneJournal(new Date(Date.now() + 1_000));
    expect(await here.read()).toEqual([]);
  });

  it('prunes more than one batch', async () => {
    const [here] = await open();
    const numbers = Array.from({ length: 2_500 }, (_, number) => number);
    await here.write({
      put: numbers.map((number) => note(`n${number}`, 0, { group: 'closed' })),
      append: numbers.map((value) => ({ topic: 't', value })),
    });
    const later = new Date(Date.now() + 1_000);
    await here.prune(later, { kind: 'note', group: 'closed' });
    await here.pruneJournal(later);
    expect([await here.list('note'), await here.read()]).toEqual([[], []]);
  });
}
