import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createConversationTable } from '../../src/delivery/sqlite/conversations.js';
import { type Database, openDatabase, type Row, type Statement } from '../../src/delivery/sqlite/database.js';
import { openSqliteQueues, sqlite } from '../../src/delivery/sqlite/index.js';
import { createMarks } from '../../src/delivery/sqlite/marks.js';
import { MIGRATIONS } from '../../src/delivery/sqlite/migrations.js';
import { createPeople } from '../../src/delivery/sqlite/people.js';
import { createQueue } from '../../src/delivery/sqlite/queue.js';
import { eventually } from '../delivery/contract/stage.js';
import { chatEvent, requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { handoffsOf } from './stores-of.js';

const newFile = async (): Promise<string> => join(await temporaryFolder(), 'handoff.db');

/** A database that notes each statement that is made of it. */
function noting(database: Database) {
  const statements: string[] = [];
  const prepare = (sql: string): Statement => {
    statements.push(sql);
    return database.prepare(sql);
  };
  return { ...database, exec: (sql: string) => database.exec(sql), prepare, statements };
}

describe('the tables of SQLite', () => {
  it('are found by an index, whatever is looked for', async () => {
    const file = await newFile();
    const database = openDatabase(file);
    const noted = noting(database);
    const conversations = createConversationTable(noted, false);
    createMarks(noted);
    createPeople(noted);
    createQueue(noted, 'inbox', true);
    conversations.list({});
    conversations.list({ states: ['waiting', 'closed'], adapter: 'desk' });
    conversations.list({
      userKey: 'user:ada',
      changedBefore: new Date(),
      after: { id: 'c', changedAt: new Date() },
    });
    conversations.list({ states: ['waiting'], after: { id: 'c', changedAt: new Date() } });
    for (const sql of noted.statements) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      const steps = plan
        .map(({ detail }) => String(detail))
        // To give back the lanes of a process that is gone, all lanes are looked through: that is rare. Batches are few.
        .filter((detail) => /^SCAN (?!part|json_each|\d+-ROW VALUES|inbox_lane|inbox_batch)/.test(detail));
      expect(steps, sql).toEqual([]);
    }
    database.close();
    expect(noted.statements.length).toBeGreaterThan(40);
  });

  it('are added to a file of the version before, and what is in it stays', async () => {
    const file = await newFile();
    const old = openDatabase(file);
    const tables = old
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .all();
    for (const { name } of tables) old.exec(`DROP TABLE ${String(name)}`);
    old.exec(`${MIGRATIONS[0]}; PRAGMA user_version = 1`);
    old.exec("INSERT INTO inbox (key, lane, content, created_at, changed_at) VALUES ('k', 'c', '{}', 1, 1)");
    old.exec("INSERT INTO person (person, lane, seen_at) VALUES ('ada', 'c', 1)");
    old.close();
    const queues = openSqliteQueues(file);
    expect(await queues.list('inbox')).toMatchObject([{ conversationId: 'c' }]);
    expect(await queues.forget('ada')).toBe(1);
    await queues.close();
  });
});

describe('what SQLite keeps', () => {
  /** Opens a file with a retention that a test can wait for. */
  const start = (file: string) => {
    const delivery = sqlite({ file, rememberMs: 50, pollMs: 20 });
    delivery.start({ handle: async () => {}, greet: async () => {}, report: () => {}, log: logLines().log });
    return delivery;
  };
  const rows = (file: string, sql: string): Row[] => {
    const database = openDatabase(file);
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };

  it('of people, goes with the last of what they sent', async () => {
    const file = await newFile();
    const delivery = start(file);
    await delivery.accept(requestEvent('done', { userId: 'ada', anonymousId: 'a-1' }));
    await eventually(async () => expect(await delivery.stats()).toEqual({ pending: 0, remembered: 0 }));
    await delivery.stop({ timeoutMs: 1_000 });
    expect(rows(file, 'SELECT person FROM person')).toHaveLength(2);

    const database = openDatabase(file);
    const people = createPeople(database);
    const later = Date.now() + 7_200_000;
    people.note('bob', 'waiting', 0);
    const item = { key: 'k', conversationId: 'waiting', content: ['{}'] };
    const queues = (['inbox', 'outbox'] as const).map((name) => createQueue(database, name, false));
    const empty = () => {
      for (const queue of queues) {
        queue.forget('waiting', 10);
        queue.take('somebody', [], 10, later);
      }
    };
    for (const queue of queues) {
      empty();
      queue.add(null, item, 1);
      people.note('ada', 'done', 0);
      expect(people.prune(later, 1)).toBe(1);
      expect(people.lanesOf('bob')).toEqual(['waiting']);
      // Parked, it has no lane any more, and is still there.
      const [taken] = queue.take('somebody', [], 10, later);
      queue.end('somebody', taken ?? { seq: 0, conversationId: '' }, { state: 'dead', error: 'no' }, 1, true);
      people.note('ada', 'done', 0);
      expect(people.prune(later, 1)).toBe(1);
      expect(people.lanesOf('bob')).toEqual(['waiting']);
      people.prune(later, 100);
      expect(people.lanesOf('ada')).toEqual([]);
      expect(people.lanesOf('bob')).toEqual(['waiting']);
    }
    empty();
    expect(people.prune(0, 100)).toBe(0);
    expect(people.prune(later, 100)).toBe(1);
    database.close();
  });

  it('of people who write on, is not written each time', async () => {
    const database = openDatabase(await newFile());
    const people = createPeople(database);
    const seenAt = () => Number(database.prepare('SELECT seen_at FROM person').get()?.seen_at);
    people.note('ada', 'c', 1_000);
    people.note('ada', 'c', 60_000);
    expect(seenAt()).toBe(1_000);
    people.note('ada', 'c', 4_000_000);
    expect(seenAt()).toBe(4_000_000);
    people.seen('c', 5_000_000);
    expect(seenAt()).toBe(4_000_000);
    people.seen('c', 8_000_000);
    expect(seenAt()).toBe(8_000_000);
    database.close();
  });

  it('of people, is noted again after another process has forgotten them', async () => {
    const file = await newFile();
    const delivery = start(file);
    const hers = (key: string) => delivery.accept({ ...requestEvent('c', { userId: 'ada' }), key });
    await hers('1');
    const queues = openSqliteQueues(file);
    expect(await queues.forget('ada')).toBeGreaterThan(0);
    await hers('2');
    expect(rows(file, 'SELECT person FROM person')).toContainEqual({ person: 'ada' });
    await queues.close();
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('can be stopped twice, and ends once', async () => {
    const delivery = start(await newFile());
    await delivery.accept(chatEvent('c'));
    const both = await Promise.all([
      delivery.stop({ timeoutMs: 1_000 }),
      delivery.stop({ timeoutMs: 1_000 }),
    ]);
    expect(both).toEqual([{ unfinished: 0 }, { unfinished: 0 }]);
    expect(await delivery.stop({ timeoutMs: 1 })).toEqual({ unfinished: 0 });
    await expect(handoffsOf(delivery).get('c')).rejects.toThrow();
  });
});
