import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { openSqliteQueues, sqlite } from '../../src/delivery/sqlite/index.js';
import { MIGRATIONS } from '../../src/delivery/sqlite/migrations.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { notes } from './contract/stage.js';

/** The last version whose queues were one table each. */
const BEFORE = 3;

const event = JSON.stringify({ name: 'handoff.message', body: {}, receivedAt: 1, requestId: 'r' });

/** A file of that version, with items in every state, as a process left them that was killed. */
async function oldFile(): Promise<string> {
  const file = join(await temporaryFolder(), 'handoff.db');
  const old = openDatabase(file);
  const objects = old.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  for (const { name } of objects.all()) old.exec(`DROP TABLE ${String(name)}`);
  for (const migration of MIGRATIONS.slice(0, BEFORE)) old.exec(migration);
  old.exec(`PRAGMA user_version = ${BEFORE}`);
  const insert = old.prepare(
    'INSERT INTO inbox (key, lane, content, state, attempts, begun, error, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1)',
  );
  insert.run('handled', 'c', null, 'done', 1, 0, null);
  insert.run('kept', 'c', event, 'done', 2, 0, null);
  insert.run('dead', 'c', event, 'dead', 8, 0, 'no');
  insert.run('begun', 'c', event, 'waiting', 1, 1, null);
  insert.run('waiting', 'c', event, 'waiting', 0, 0, null);
  insert.run('alone', 'd', event, 'waiting', 0, 0, null);
  old.exec(
    `INSERT INTO inbox_lane (lane, due_at, owner, leased_until) VALUES ('c', 1, 'gone', ${Date.now() + 3_600_000}), ('d', 1, NULL, 0)`,
  );
  old.close();
  return file;
}

it('a file of the version before keeps what it had, in its states and its order', async () => {
  const file = await oldFile();
  const queues = openSqliteQueues(file);
  expect(await queues.list('inbox')).toMatchObject([
    { state: 'done', attempts: 1 },
    { state: 'done', attempts: 2, what: 'handoff.message' },
    { state: 'dead', attempts: 8, error: 'no' },
    { state: 'waiting', attempts: 1 },
    { state: 'waiting', attempts: 0 },
    { state: 'waiting', attempts: 0 },
  ]);
  expect(await queues.depth('inbox')).toMatchObject({ waiting: 3, dead: 1 });
  await queues.close();

  const seen = notes<[key: string, attempt: number]>();
  const delivery = sqlite({ file, pollMs: 10, concurrency: 1 });
  delivery.start({
    handle: async ({ key }, { attempt }) => seen.add([key, attempt]),
    greet: async () => {},
    report: () => {},
    log: logLines().log,
  });
  const all = await seen.until(3);
  expect(all.filter(([key]) => key !== 'alone')).toEqual([
    ['begun', 2],
    ['waiting', 1],
  ]);
  expect(all).toContainEqual(['alone', 1]);
  await delivery.stop({ timeoutMs: 1_000 });
});
