import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Connection, openConnection, type Statement } from '../../src/delivery/sqlite/database.js';
import { createSqliteEngine } from '../../src/delivery/sqlite/sqlite.js';
import { createInlineWriter } from '../../src/delivery/sqlite/writer.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

const OPTIONS = { keepContent: false, owner: 'this process', leaseMs: 60_000 };

/** A file with all tables. */
async function newFile(): Promise<string> {
  const file = join(await temporaryFolder(), 'handoff.db');
  const settings = { keepContent: false, leaseMs: 1_000, pollMs: 1_000, onError: () => undefined };
  const engine = createSqliteEngine(file, settings, null);
  await engine.open();
  await engine.close();
  return file;
}

/** A connection that calls back before each statement that is run, which may throw. */
function watch(connection: Connection, before: (sql: string) => void): Connection {
  const prepare = (sql: string): Statement => {
    const statement = connection.prepare(sql);
    const watched =
      <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
      (...args: Args): Result => {
        before(sql);
        return run(...args);
      };
    return {
      get: watched((...values) => statement.get(...values)),
      all: watched((...values) => statement.all(...values)),
    };
  };
  return { prepare, exec: (sql) => connection.exec(sql), close: () => connection.close() };
}

/** A writer whose statements fail on demand. */
async function openWriter() {
  const connection = openConnection(await newFile());
  let fault: (sql: string) => void = () => undefined;
  const writer = createInlineWriter(
    watch(connection, (sql) => fault(sql)),
    OPTIONS,
    () => undefined,
  );
  return {
    add: (key: string) => writer.run('add', 'inbox', key, 'c', 'handoff.message', '{}', [], null, null, 1),
    transaction: (sql: string) => writer.run('transaction', [{ sql }]),
    /** Throws before every statement that contains a text, after doing something. */
    failAt: (part: string, message: string, then = (_connection: Connection): void => undefined): void => {
      fault = (sql) => {
        if (!sql.includes(part)) return;
        fault = () => undefined;
        then(connection);
        throw new Error(message);
      };
    },
    count: (table: string): unknown =>
      connection.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count,
    close: () => connection.close(),
  };
}

describe('a group of commands', () => {
  it('is committed at once', async () => {
    const { add, count, close } = await openWriter();
    const results = await Promise.all([add('1'), add('2'), add('1')]);
    expect(results.map(({ isDuplicate }) => isDuplicate)).toEqual([false, false, true]);
    expect(count('job')).toBe(2);
    close();
  });

  it.each([
    ['its commit', 'COMMIT'],
    ['one of its statements', 'INSERT INTO head'],
  ])('fails for every caller when %s fails, and leaves nothing behind', async (_what, part) => {
    const { add, failAt, count, close } = await openWriter();
    failAt(part, 'the disk is full');
    const results = await Promise.allSettled([add('1'), add('2')]);
    expect(results).toMatchObject([
      { status: 'rejected', reason: { message: 'the disk is full' } },
      { status: 'rejected', reason: { message: 'the disk is full' } },
    ]);
    expect([count('job'), count('seen_key'), count('head')]).toEqual([0, 0, 0]);
    expect(await Promise.all([add('1'), add('2')])).toMatchObject([
      { isDuplicate: false },
      { isDuplicate: false },
    ]);
    close();
  });
});

describe('a statement of another store that fails', () => {
  it('fails alone: the other commands of its group are committed', async () => {
    const { add, transaction, count, close } = await openWriter();
    const [, failed] = await Promise.all([
      add('1'),
      transaction('INSERT INTO no_such_table VALUES (1)'),
      add('2'),
    ]);
    expect(failed).toEqual({ error: expect.stringContaining('no_such_table') as string });
    expect(count('job')).toBe(2);
    close();
  });

  it('fails its whole group when it ends the transaction, as a full disk can', async () => {
    const { add, transaction, failAt, count, close } = await openWriter();
    failAt('DELETE FROM cursor', 'the disk is full', (connection) => connection.exec('ROLLBACK'));
    const group = [add('1'), transaction('DELETE FROM cursor'), add('2')];
    for (const { status } of await Promise.allSettled(group)) expect(status).toBe('rejected');
    expect([count('job'), count('seen_key'), count('head')]).toEqual([0, 0, 0]);
    expect(await add('1')).toMatchObject({ isDuplicate: false });
    close();
  });
});
