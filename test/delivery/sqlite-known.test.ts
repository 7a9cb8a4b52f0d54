import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/delivery/sqlite/database.js';
import { hashOf } from '../../src/delivery/sqlite/hash.js';
import { createKnown } from '../../src/delivery/sqlite/known.js';
import { createQueueReads } from '../../src/delivery/sqlite/queue-reads.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

const newFile = async () => join(await temporaryFolder(), 'handoff.db');

/** Somebody who writes to a file, and has noticed when others did. */
function openKnown(file: string) {
  const database = openDatabase(file);
  const known = createKnown(database, 'inbox');
  const count = (table: string) =>
    Number(database.prepare(`SELECT count(*) AS count FROM inbox_${table}`).get()?.count);
  const reads = createQueueReads(database, 'inbox');
  return { database, known, reads, filed: () => count('index'), all: () => count('known') };
}

/** Two texts that have the same hash. */
function alike(): [string, string] {
  const seen = new Map<number, string>();
  for (let nth = 0; ; nth += 1) {
    const text = `${nth * 7_919} of ${nth}`;
    const before = seen.get(hashOf(text));
    if (before) return [before, text];
    seen.set(hashOf(text), text);
  }
}

function within(database: Database, write: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  write();
  database.exec('COMMIT');
}

it('a key is known for as long as its item, filed or not', async () => {
  const { database, known, reads, filed } = openKnown(await newFile());
  const keys = Array.from({ length: 6_000 }, (_, nth) => `key ${nth}`);
  const laneOf = (key: string) => `lane ${Number(key.slice(4)) % 300}`;
  within(database, () => {
    for (const [nth, key] of keys.entries()) expect(known.add(key, laneOf(key), 1)).toBe(nth + 1);
  });
  expect(filed()).toBeGreaterThan(1_000);
  expect(filed()).toBeLessThan(6_000);
  for (const key of keys) {
    expect(known.has(key, laneOf(key))).toBe(true);
    expect(known.add(key, laneOf(key), 1)).toBeNull();
  }
  expect(known.has('key 6000', 'lane 0')).toBe(false);
  for (const lane of ['lane 0', 'lane 299']) {
    expect(reads.list({ conversationId: lane, limit: 1_000 })).toHaveLength(20);
  }
  for (const key of ['key 0', 'key 5999']) expect(reads.find(key, laneOf(key))).not.toBeNull();
  expect(reads.find('key 6000', 'lane 0')).toBeNull();

  known.remove([1, 6_000]);
  expect(known.has('key 0', 'lane 0')).toBe(false);
  expect(known.add('key 0', 'lane 0', 1)).toBe(6_001);
  expect(known.add('key 5999', 'lane 299', 1)).toBe(6_002);
});

it('who shares a file knows what others have noted, filed and removed', async () => {
  const file = await newFile();
  const [one, other] = [openKnown(file), openKnown(file)];
  expect(one.known.add('a', 'c', 1)).toBe(1);
  expect(other.known.add('a', 'c', 1)).toBeNull();
  expect(other.known.add('b', 'c', 1)).toBe(2);
  one.known.noticeOthers();
  expect(one.known.add('b', 'c', 1)).toBeNull();
  expect(one.known.add('c', 'c', 1)).toBe(3);

  other.known.noticeOthers();
  expect(new Set(other.known.ofLane('c', 10))).toEqual(new Set([1, 2, 3]));
  expect(other.filed()).toBe(3);
  one.known.noticeOthers();
  for (const key of ['a', 'b', 'c']) expect(one.known.add(key, 'c', 1)).toBeNull();
  expect(one.known.ofLane('c', 10)).toHaveLength(3);

  other.known.remove([2, 3]);
  one.known.noticeOthers();
  expect(one.known.add('a', 'c', 1)).toBeNull();
  // Nobody takes the number of what was removed: somebody may still be at it.
  expect(one.known.add('c', 'c', 1)).toBe(4);
  one.known.remove([4]);
  expect(openKnown(file).known.add('d', 'c', 1)).toBe(5);
});

it('what was undone is not known', async () => {
  const { database, known, filed } = openKnown(await newFile());
  known.add('before', 'c', 1);
  database.exec('BEGIN');
  for (let nth = 0; nth < 5_000; nth += 1) known.add(`undone ${nth}`, `c ${nth}`, 1);
  expect(filed()).toBeGreaterThan(0);
  database.exec('ROLLBACK');
  known.startOver();
  expect(filed()).toBe(0);
  expect(known.add('before', 'c', 1)).toBeNull();
  for (let nth = 0; nth < 5_000; nth += 100) {
    expect(known.add(`undone ${nth}`, `c ${nth}`, 1)).toBe(2 + nth / 100);
  }
});

it('who comes later knows what is filed and what is not', async () => {
  const file = await newFile();
  const first = openKnown(file);
  within(first.database, () => {
    for (let nth = 0; nth < 10_000; nth += 1) first.known.add(`key ${nth}`, `lane ${nth % 500}`, 1);
  });
  const { known } = openKnown(file);
  for (let nth = 0; nth < 10_000; nth += 1) expect(known.has(`key ${nth}`, `lane ${nth % 500}`)).toBe(true);
  expect(known.add('new', 'lane 1', 1)).toBe(10_001);
  expect(known.ofLane('lane 1', 100)).toHaveLength(21);
});

it('keys with the same hash are told apart', async () => {
  const [one, other] = alike();
  const { known } = openKnown(await newFile());
  expect(known.add(one, 'unfiled', 1)).toBe(1);
  expect(known.add(other, 'unfiled', 1)).toBe(2);
  known.remove([1, 2]);

  expect(known.add(one, 'c', 1)).toBe(3);
  known.ofLane('c', 1);
  expect(known.has(other, 'c')).toBe(false);
  expect(known.add(other, 'c', 1)).toBe(4);
  expect(known.add(one, 'c', 1)).toBeNull();
  known.ofLane('c', 1);
  known.remove([3]);
  expect(known.add(other, 'c', 1)).toBeNull();
  expect(known.add(one, 'c', 1)).toBe(5);
});

it('conversations with the same hash are told apart', async () => {
  const [one, other] = alike();
  const { known, reads } = openKnown(await newFile());
  known.add('k 1', one, 1);
  known.add('k 2', other, 1);
  expect(known.ofLane(one, 10)).toEqual([1]);
  expect(known.ofLane(other, 10)).toEqual([2]);
  expect(reads.list({ conversationId: other })).toMatchObject([{ seq: 2 }]);
});

it('finds from where on items came later than a time, whatever was removed', async () => {
  const { known } = openKnown(await newFile());
  expect(known.cameBefore(1)).toBe(0);
  for (let nth = 1; nth <= 100; nth += 1) known.add(`k${nth}`, 'c', nth);
  known.remove([1, 2, 50, 51, 52, 100]);
  for (const [time, from] of [
    [0, 0],
    [4, 4],
    [51, 50],
    [54, 54],
    [100, 100],
    [1_000, 100],
  ] as const) {
    expect([time, known.cameBefore(time)]).toEqual([time, from]);
  }
});

it('the hash is the same in every file', () => {
  expect(['', 'a', 'ab', 'message:1:c:1', 'ü€'].map(hashOf)).toEqual([
    -819_619_280, -2_027_447_607, 1_099_601_402, -111_332_309, -1_896_293_101,
  ]);
});
