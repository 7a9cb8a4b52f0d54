import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { openSqliteQueues } from '../../src/delivery/sqlite/index.js';
import { createPeople } from '../../src/delivery/sqlite/people.js';
import { createQueue, type Item } from '../../src/delivery/sqlite/queue.js';
import { createQueueReads } from '../../src/delivery/sqlite/queue-reads.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

const ME = 'me';

async function newQueue(keepContent = false) {
  const file = join(await temporaryFolder(), 'handoff.db');
  const database = openDatabase(file);
  const queue = createQueue(database, 'inbox', keepContent);
  const add = (key: string, conversationId: string, owner: string | null = ME) =>
    queue.add(owner, { key, conversationId, content: [`"${key}"`] }, 1);
  return { file, database, queue, add, reads: createQueueReads(database, 'inbox') };
}

describe('an item that is done', () => {
  it('is not there to be done, and known by its key, with its attempts', async () => {
    const { queue, add, reads } = await newQueue();
    expect(add('k', 'c')).toBe(1);
    queue.end(ME, { seq: 1, conversationId: 'c' }, { state: 'waiting', error: 'no' }, 1, true);
    const [again] = queue.take(ME, [], 1, 1);
    expect(again).toMatchObject({ seq: 1, attempts: 2, interrupted: false });
    expect(queue.finish(ME, 1, 'c', 2, 1, true)).toBeNull();
    expect(add('k', 'c')).toBe(false);
    expect(reads.list({})).toMatchObject([{ seq: 1, state: 'done', attempts: 2, content: null }]);
    expect(reads.depth()).toEqual({ waiting: 0, dead: 0, oldestAt: null });
    expect(queue.nextDueAt()).toBeNull();
  });

  it('is forgotten after its time, with what was kept of it, and then may come again', async () => {
    const { queue, add, reads } = await newQueue(true);
    for (const key of ['done', 'waiting']) add(key, key);
    queue.finish(ME, 1, 'done', 1, 1, true);
    expect(reads.list({ state: 'done' })).toMatchObject([{ content: '"done"' }]);
    expect(queue.prune(1, 10)).toBe(0);
    expect(queue.prune(2, 10)).toBe(1);
    expect(reads.list({})).toMatchObject([{ lane: 'waiting', content: '"waiting"' }]);
    expect(add('done', 'done')).toBe(3);
  });
});

describe('what was begun by a process that is gone', () => {
  it('is what that process had begun, and nothing else', async () => {
    const { queue, add } = await newQueue();
    add('1', 'a');
    add('2', 'b', 'other');
    add('3', 'c');
    queue.flush();
    queue.release('other');
    expect(queue.take('third', [], 10, 1)).toMatchObject([{ key: '2', interrupted: true }]);
  });

  it('is begun before what came later, and it is known that it was interrupted', async () => {
    const { queue, add } = await newQueue();
    add('1', 'c');
    add('2', 'c');
    queue.release(ME);
    const taken = (owner: string): Partial<Item>[] => queue.take(owner, [], 10, 1);
    expect(taken('other')).toMatchObject([{ key: '1', attempts: 2, interrupted: true }]);
    expect(taken('third')).toEqual([]);
    // Who was thought to be gone has no say any more.
    expect(queue.finish(ME, 1, 'c', 1, 1, true)).toBeNull();
    expect(
      queue.end(ME, { seq: 1, conversationId: 'c' }, { state: 'dead', error: 'no' }, 1, true),
    ).toBeNull();
    expect(queue.finish('other', 1, 'c', 2, 1, true)).toMatchObject({ key: '2', attempts: 1 });
  });
});

describe('a person of whom much is known', () => {
  it('is forgotten in steps, and nobody else', async () => {
    const { file, database, add, reads } = await newQueue(true);
    const people = createPeople(database);
    people.note('ada', 'hers', 1);
    people.note('bob', 'his', 1);
    database.exec('BEGIN');
    for (let nth = 1; nth <= 5_001; nth += 1) add(`k${nth}`, nth % 2 === 1 ? 'hers' : 'his', null);
    database.exec('COMMIT');
    const queues = openSqliteQueues(file);
    expect(await queues.forget('ada')).toBe(2_501);
    expect(reads.depth()).toMatchObject({ waiting: 2_500 });
    expect(reads.list({ conversationId: 'his', limit: 5_000 })).toHaveLength(2_500);
    expect(reads.list({ conversationId: 'hers' })).toEqual([]);
    expect(people.lanesOf('ada')).toEqual([]);
    expect(people.lanesOf('bob')).toEqual(['his']);
    await queues.close();
  });
});
