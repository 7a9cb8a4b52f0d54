import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Queue } from '../../src/delivery/queue.js';
import { type CommandOptions, createCommands } from '../../src/delivery/sqlite/commands.js';
import { type Connection, openConnection } from '../../src/delivery/sqlite/database.js';
import { openSqliteDatabase, sqlite } from '../../src/delivery/sqlite/index.js';
import { createSqliteEngine } from '../../src/delivery/sqlite/sqlite.js';
import { eventually } from '../delivery/contract/stage.js';
import { chatEvent, requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { handoffsOf } from './stores-of.js';
import { describeTables } from './tables.js';

const newFile = async (): Promise<string> => join(await temporaryFolder(), 'handoff.db');

describeTables('SQLite', async (note) => {
  const file = await newFile();
  const settings = { keepContent: true, leaseMs: 60_000, pollMs: 1_000, onError: () => undefined };
  const engine = createSqliteEngine(file, settings, null);
  await engine.open();
  onTestFinished(() => engine.close());
  const { sql } = engine;
  // The writer's commands prepare their statements when the first command runs.
  const connection = openConnection(file);
  onTestFinished(() => connection.close());
  noteCommands(connection, note);
  return {
    sql,
    async explain(text, values) {
      const rows = await sql.read(`EXPLAIN QUERY PLAN ${text}`, values);
      return rows.map(({ detail }) => String(detail)).join('\n');
    },
    // Processes and queues are few, and so are the claims whose owners are scanned.
    scan: /^SCAN (?!names\b|parts?\b|part_\d|json_each|items|\d+-ROW VALUES|process\b|head USING COVERING INDEX head_owner)/m,
    inbox: engine.queue('inbox') satisfies Queue,
  };
});

function noteCommands(connection: Connection, note: (sql: string, values: readonly never[]) => void): void {
  const options: CommandOptions = { keepContent: true, owner: 'this process' };
  const prepare: Connection['prepare'] = (text) => {
    // A plan needs no values; without them every parameter is NULL.
    note(text, []);
    return connection.prepare(text);
  };
  const noted = { prepare, exec: (text: string) => connection.exec(text), close: () => connection.close() };
  createCommands(noted, options).renewLease({ renewals: 1, leaseMs: 60_000, identity: null });
}

describe('the user index in SQLite', () => {
  /** Opens a file with a retention that a test can wait for. */
  const start = async (file: string) => {
    const delivery = sqlite({ file, rememberMs: 50, pollMs: 20 });
    delivery.connect({
      name: 'default',
      hasBot: () => true,
      handles: () => true,
      handle: async () => {},
      greet: async () => {},
      report: () => {},
      log: logLines().log,
    });
    await delivery.start?.();
    return delivery;
  };
  const rows = (file: string, text: string): unknown[] => {
    const connection = openConnection(file);
    try {
      return connection.prepare(text).all();
    } finally {
      connection.close();
    }
  };

  it('stays for an hour longer than the events', async () => {
    const file = await newFile();
    const delivery = await start(file);
    await delivery.accept(requestEvent('c', { userId: 'ada', anonymousId: 'a-1' }));
    await eventually(async () => expect(await delivery.stats()).toEqual({ pending: 0, remembered: 0 }));
    expect(rows(file, 'SELECT user_id FROM user_conversation')).toHaveLength(2);
    await delivery.database?.write('UPDATE user_conversation SET seen_at = seen_at - 3600000');
    await eventually(() => expect(rows(file, 'SELECT user_id FROM user_conversation')).toEqual([]));
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('is not written for each event of a user', async () => {
    const file = await newFile();
    await (await openSqliteDatabase(file)).close();
    const connection = openConnection(file);
    const commands = createCommands(connection, { keepContent: false, owner: 'me' });
    const writeAt = (now: number) => {
      commands.add('inbox', `key ${now}`, 'c', 'message', '{}', ['ada'], null, null, now);
      return Number(connection.prepare('SELECT seen_at FROM user_conversation').get()?.seen_at);
    };
    expect([writeAt(1_000), writeAt(60_000), writeAt(4_000_000)]).toEqual([1_000, 1_000, 4_000_000]);
    connection.close();
  });

  it('is written again after another process has removed it', async () => {
    const file = await newFile();
    const delivery = await start(file);
    const hers = (key: string) => delivery.accept({ ...requestEvent('c', { userId: 'ada' }), key });
    await hers('1');
    const { queues, close } = await openSqliteDatabase(file);
    await queues.forget('ada');
    await hers('2');
    expect(rows(file, 'SELECT user_id FROM user_conversation')).toHaveLength(1);
    await close();
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('can be stopped twice', async () => {
    const delivery = await start(await newFile());
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
