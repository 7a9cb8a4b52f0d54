import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/delivery/sqlite/database.js';
import { openSqliteQueues } from '../../src/delivery/sqlite/index.js';
import { createQueueReads } from '../../src/delivery/sqlite/queue-reads.js';
import { createRunGroup } from '../../src/delivery/sqlite/run-group.js';
import { createWrites, type Writes } from '../../src/delivery/sqlite/writes.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

const LEASE_MS = 60_000;

const newFile = async () => join(await temporaryFolder(), 'handoff.db');

/** A process that writes to a file, and what can be seen of it from outside. */
function openWrites(file: string, owner = 'me') {
  const database = openDatabase(file);
  const { committing, failNext } = withFailingCommits(database);
  const run = createRunGroup(
    committing,
    createWrites(database, { keepContent: false, owner, leaseMs: LEASE_MS }),
  );
  let keys = 0;
  const reads = createQueueReads(database, 'inbox');
  return {
    database,
    run,
    /** Events of conversations, all with one commit; the numbers of those that were begun. */
    accept: (lanes: readonly string[], body = '"body"', now = Date.now()) => {
      const calls = lanes.map((lane) => {
        keys += 1;
        const key = `${owner} ${keys}`;
        return ['accept', [key, lane, body, 'message', 1, 'r', true, now]] as const;
      });
      return run(calls) as (number | boolean)[];
    },
    write: <Verb extends keyof Writes>(verb: Verb, ...args: Parameters<Writes[Verb]>) =>
      run([[verb, args]])[0] as ReturnType<Writes[Verb]>,
    /** Ends attempts, all with one commit. */
    finish: (items: readonly (readonly [seq: number, lane: string])[]) =>
      run(items.map(([seq, lane]) => ['finish', ['inbox', seq, lane, 1, Date.now(), true]] as const)),
    depth: () => reads.depth().waiting,
    failNext,
  };
}

/** A database whose next commit fails where that is asked for, as it does when the disk is full. */
function withFailingCommits(database: Database) {
  let fails = false;
  const prepare: Database['prepare'] = (sql) => {
    const statement = database.prepare(sql);
    if (sql !== 'COMMIT') return statement;
    return {
      ...statement,
      get() {
        if (!fails) return statement.get();
        fails = false;
        throw new Error('the disk is full');
      },
    };
  };
  return {
    committing: { ...database, exec: (sql: string) => database.exec(sql), prepare },
    failNext: () => {
      fails = true;
    },
  };
}

/** How many rows tables of the inbox have. */
const rowsOf = (database: Database, ...tables: readonly string[]): number[] =>
  tables.map((table) =>
    Number(database.prepare(`SELECT count(*) AS count FROM inbox_${table}`).get()?.count),
  );

/** What the first process that comes after a kill finds: numbers of items, their conversations, and what is in them. */
function afterKill(file: string): { seq: number; lane: string; body: unknown }[] {
  const { database, write } = openWrites(file, 'heir');
  const { items } = write('take', 'inbox', [], 100, Date.now() + 2 * LEASE_MS);
  expect(items.every(({ interrupted, attempts }) => interrupted && attempts === 2)).toBe(true);
  expect(rowsOf(database, 'batch')).toEqual([0]);
  database.close();
  return items
    .map(({ seq, conversationId, content }) => {
      const { body } = JSON.parse(String(content)) as { body: unknown };
      return { seq, lane: conversationId, body };
    })
    .toSorted((one, other) => one.seq - other.seq);
}

describe('events that are begun as they come', () => {
  it('lie in one row, which is written over when they are over', async () => {
    const { database, accept, finish, depth } = openWrites(await newFile());
    expect(accept(['a', 'b', 'c'])).toEqual([1, 2, 3]);
    expect(rowsOf(database, 'batch', 'work', 'lane')).toEqual([1, 0, 0]);
    expect(depth()).toBe(3);
    finish([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(accept(['a', 'd'])).toEqual([4, 5]);
    expect(depth()).toBe(3);
    finish([[3, 'c']]);
    expect(accept(['e'])).toEqual([6]);
    expect(depth()).toBe(3);
    expect(rowsOf(database, 'batch')[0]).toBeLessThanOrEqual(3);
    finish([
      [6, 'e'],
      [4, 'a'],
      [5, 'd'],
    ]);
    expect(rowsOf(database, 'batch', 'work', 'lane', 'known')).toEqual([0, 0, 0, 6]);
    expect(depth()).toBe(0);
  });

  it('are found by who comes after a kill, and what was over is not', async () => {
    const file = await newFile();
    const { accept, finish } = openWrites(file);
    accept(['a', 'b', 'c']);
    finish([[2, 'b']]);
    accept(['d', 'e']);
    finish([
      [4, 'd'],
      [1, 'a'],
    ]);
    accept(['b']);
    finish([[5, 'e']]);
    expect(afterKill(file)).toEqual([
      { seq: 3, lane: 'c', body: 'body' },
      { seq: 6, lane: 'b', body: 'body' },
    ]);
  });

  it('are found whatever was done with them, at every step', async () => {
    // Steps by a rule that looks like chance; after each, another process looks at a copy of the file.
    let chance = 7;
    const next = (below: number) => {
      chance = (chance * 48_271) % 2_147_483_647;
      return chance % below;
    };
    const file = await newFile();
    const { database, accept, finish, write } = openWrites(file);
    const open = new Map<string, { seq: number; body: string }>();
    for (let step = 0; step < 120; step += 1) {
      const lanes = Array.from({ length: 1 + next(4) }, () => `lane ${next(30)}`);
      const free = [...new Set(lanes)].filter((lane) => !open.has(lane));
      const body = ['x', 'ü', '€', '\u{1f600}'][next(4)]?.repeat(next(step % 7 === 0 ? 8_000 : 300)) ?? '';
      for (const [nth, seq] of accept(free, JSON.stringify(body)).entries()) {
        open.set(String(free[nth]), { seq: Number(seq), body });
      }
      const over = [...open].filter(() => next(3) === 0);
      finish(over.map(([lane, { seq }]) => [seq, lane] as const));
      for (const [lane] of over) open.delete(lane);
      if (next(9) === 0) write('settle');
      const copy = `${file}.${step}`;
      database.exec(`VACUUM INTO '${copy}'`);
      const expected = Array.from(open, ([lane, { seq, body: sent }]) => ({ seq, lane, body: sent }));
      expect([step, afterKill(copy)]).toEqual([step, expected]);
    }
  });

  it('are written over where they lie, and nothing is left of those before', async () => {
    const { database, run, accept } = openWrites(await newFile());
    const pages = () => Number(database.prepare('PRAGMA page_count').get()?.page_count);
    const rows = () => database.prepare('SELECT id, length(content) AS size, content FROM inbox_batch').all();
    accept(['a'], JSON.stringify('secret '.repeat(2_000)));
    accept(['b'], JSON.stringify('open '.repeat(2_000)));
    const before = rows().map(({ id, size }) => [id, size]);
    const pagesBefore = pages();
    run([
      ['finish', ['inbox', 1, 'a', 1, Date.now(), true]],
      ['accept', ['k', 'c', JSON.stringify('less '.repeat(1_000)), 'message', 1, 'r', true, Date.now()]],
    ]);
    expect(rows().map(({ id, size }) => [id, size])).toEqual(before);
    expect(pages()).toBe(pagesBefore);
    const texts = rows().map(({ content }) => Buffer.from(content as Uint8Array).toString());
    expect(texts.filter((text) => text.includes('secret'))).toEqual([]);
    expect(texts.filter((text) => text.includes('less'))).toHaveLength(1);
  });

  it('do not lie in rows that are much too large for them', async () => {
    const { database, run, accept } = openWrites(await newFile());
    const size = () =>
      Number(database.prepare('SELECT sum(length(content)) AS size FROM inbox_batch').get()?.size);
    accept(['a', 'b', 'c', 'd', 'e'], JSON.stringify('large '.repeat(2_000)));
    accept(['f']);
    run([
      ...['a', 'b', 'c', 'd', 'e'].map(
        (lane, nth) => ['finish', ['inbox', nth + 1, lane, 1, Date.now(), true]] as const,
      ),
      ['accept', ['k', 'g', '{}', 'message', 1, 'r', true, Date.now()]],
    ]);
    expect(rowsOf(database, 'batch')).toEqual([2]);
    expect(size()).toBeLessThan(10_000);
  });

  it('are put among the others when something more comes in their conversation, and keep their turn', async () => {
    const { database, accept, finish, write } = openWrites(await newFile());
    expect(accept(['a', 'b'])).toEqual([1, 2]);
    expect(accept(['a'])).toEqual([true]);
    expect(rowsOf(database, 'work', 'lane')).toEqual([2, 1]);
    expect(finish([[2, 'b']])).toEqual([null]);
    expect(finish([[1, 'a']])).toMatchObject([{ seq: 3, attempts: 1, interrupted: false }]);
    write('end', 'inbox', { seq: 3, conversationId: 'a' }, { state: 'waiting', error: 'no' }, 1, true);
    expect(accept(['a'])).toEqual([true]);
    expect(write('take', 'inbox', [], 10, Date.now()).items).toMatchObject([{ seq: 3, attempts: 2 }]);
  });

  it('that fail are tried again, with what is in them', async () => {
    const { accept, write } = openWrites(await newFile());
    accept(['a', 'b'], '{"text":"Zwölf 12 € \u{1f600} 7 8 9"}');
    write('end', 'inbox', { seq: 1, conversationId: 'a' }, { state: 'waiting', error: 'no' }, 1, true);
    const [again] = write('take', 'inbox', ['b'], 10, Date.now()).items;
    expect(again).toMatchObject({ seq: 1, attempts: 2 });
    expect(JSON.parse(String(again?.content))).toMatchObject({
      body: { text: 'Zwölf 12 € \u{1f600} 7 8 9' },
    });
  });

  it('leave room for what is dead in their conversation and tried again', async () => {
    const { accept, finish, write } = openWrites(await newFile());
    accept(['a']);
    write('end', 'inbox', { seq: 1, conversationId: 'a' }, { state: 'dead', error: 'no' }, 1, true);
    expect(accept(['a'])).toEqual([2]);
    expect(write('retry', 'inbox', '1', 1)).toBe(true);
    expect(finish([[2, 'a']])).toMatchObject([{ seq: 1, attempts: 1 }]);
  });

  it('wait behind what was dead in their conversation and is tried again', async () => {
    const { accept, write } = openWrites(await newFile());
    accept(['a']);
    write('end', 'inbox', { seq: 1, conversationId: 'a' }, { state: 'dead', error: 'no' }, 1, true);
    write('retry', 'inbox', '1', 1);
    expect(accept(['a', 'b'])).toEqual([true, 3]);
  });

  it('may be put among the others with the same commit', async () => {
    const { run, depth, database } = openWrites(await newFile());
    run([
      ['accept', ['k', 'a', '{}', 'message', 1, 'r', true, Date.now()]],
      ['settle', []],
    ]);
    expect(rowsOf(database, 'batch', 'work', 'lane')).toEqual([0, 1, 1]);
    expect(depth()).toBe(1);
  });

  it('that are large are kept by themselves', async () => {
    const { database, accept } = openWrites(await newFile());
    expect(accept(['a'], JSON.stringify('x'.repeat(20_000)))).toEqual([1]);
    expect(rowsOf(database, 'batch', 'work', 'lane')).toEqual([0, 1, 1]);
  });

  it('are what they were when the commit after them fails', async () => {
    const { accept, finish, write, depth } = openWrites(await newFile());
    accept(['a', 'b']);
    // A time that is no whole number has no place in the table.
    expect(() => write('mark', 'm', 0.5, 0)).toThrow('REAL value');
    expect(depth()).toBe(2);
    expect(finish([[1, 'a']])).toEqual([null]);
    expect(accept(['c'])).toEqual([3]);
    expect(depth()).toBe(2);
  });

  it('wait behind what is open in their conversation, also when the commit that would have ended it fails', async () => {
    const { accept, finish, failNext } = openWrites(await newFile());
    accept(['a']);
    expect(accept(['a'])).toEqual([true]);
    expect(finish([[1, 'a']])).toMatchObject([{ seq: 2 }]);
    failNext();
    expect(() => finish([[2, 'a']])).toThrow('the disk is full');
    expect(accept(['a'])).toEqual([true]);
    expect(finish([[2, 'a']])).toMatchObject([{ seq: 3 }]);
  });

  it('are given to others when their process ends', async () => {
    const file = await newFile();
    const me = openWrites(file);
    me.accept(['a', 'b']);
    me.write('release');
    const heir = openWrites(file, 'heir');
    expect(heir.write('take', 'inbox', [], 10, Date.now()).items).toHaveLength(2);
  });
});

describe('another process on the file', () => {
  it('takes what is begun for what it is, and its process can end it', async () => {
    const file = await newFile();
    const [one, other] = [openWrites(file, 'one'), openWrites(file, 'other')];
    one.accept(['a', 'b']);
    expect(other.accept(['a', 'c'])).toEqual([true, 4]);
    expect(other.write('take', 'inbox', ['c'], 10, Date.now()).items).toEqual([]);
    expect(one.finish([[2, 'b']])).toEqual([null]);
    expect(one.finish([[1, 'a']])).toMatchObject([{ seq: 3 }]);
    expect(other.finish([[4, 'c']])).toEqual([null]);
    expect(one.depth()).toBe(1);
    // While they share the file, nothing is kept where the other does not look for it.
    one.accept(['e']);
    expect(rowsOf(other.database, 'batch', 'lane')).toEqual([0, 2]);
  });

  it('is not overtaken by who is alone again', async () => {
    const file = await newFile();
    const [one, other] = [openWrites(file, 'one'), openWrites(file, 'other')];
    one.finish([[Number(one.accept(['a'])[0]), 'a']]);
    expect(other.accept(['b'])).toEqual([2]);
    expect(other.accept(['b'])).toEqual([true]);
    const later = Date.now() + 3_600_000;
    expect(one.accept(['b', 'c'], undefined, later)).toEqual([true, 5]);
    expect(one.accept(['b', 'd'], undefined, later)).toEqual([true, 7]);
    expect(rowsOf(one.database, 'batch')).toEqual([2]);
  });

  it('that looks into the queue sees them wait, and retries what is dead in their conversation', async () => {
    const file = await newFile();
    const me = openWrites(file);
    const [dead] = me.accept(['a']);
    me.write(
      'end',
      'inbox',
      { seq: Number(dead), conversationId: 'a' },
      { state: 'dead', error: 'no' },
      1,
      true,
    );
    me.accept(['a', 'b']);
    expect(rowsOf(me.database, 'batch')).toEqual([1]);
    const queues = openSqliteQueues(file);
    expect(await queues.list('inbox')).toMatchObject([
      { state: 'dead' },
      { state: 'waiting' },
      { state: 'waiting' },
    ]);
    expect(await queues.show('inbox', '3')).toMatchObject({ state: 'waiting', content: 'body' });
    expect(await queues.retry('inbox', '1')).toBe(true);
    await queues.close();
    expect(me.finish([[2, 'a']])).toMatchObject([{ seq: 1, attempts: 1 }]);
    expect(me.finish([[3, 'b']])).toEqual([null]);
  });
});

describe('to forget', () => {
  it('a person leaves nothing of what is begun behind', async () => {
    const file = await newFile();
    const { database, accept, write, finish } = openWrites(file);
    write('accept', 'k', 'hers', '"secret"', 'message', 1, 'r', true, Date.now(), 'ada');
    accept(['his']);
    expect(write('forgetPerson', 'ada')).toBe(1);
    expect(rowsOf(database, 'batch', 'work', 'known')).toEqual([0, 1, 1]);
    expect(finish([[1, 'hers']])).toEqual([null]);
    expect(finish([[2, 'his']])).toEqual([null]);
    expect(rowsOf(database, 'work')).toEqual([0]);
  });

  it('what is old leaves alone what is still begun', async () => {
    const { database, accept, write, depth } = openWrites(await newFile());
    accept(['a']);
    write('prune', Date.now() + 1_000, 100, Date.now());
    expect(depth()).toBe(1);
    expect(rowsOf(database, 'known', 'work')).toEqual([1, 1]);
  });
});
