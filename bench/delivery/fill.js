import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgresDatabase } from '../../dist/delivery/postgres/index.js';
import { openSqliteDatabase } from '../../dist/delivery/sqlite/index.js';
import { openBoss } from './bare-pg-boss.js';
import { loadSqlite } from './bare-sqlite.js';

/** @typedef {import('./drain.js').Store} Store */

/**
 * One waiting conversation in ten is not due: its first event was retried (one in twenty) or postponed (one in twenty).
 */
const NOT_DUE_EVERY = 10;
const NOT_DUE_MS = 3_600_000;

/** How many conversations of a store can be handled at once. */
export const dueOf = (/** @type {number} */ count) => count - Math.floor(count / NOT_DUE_EVERY);

/** Jobs that pg-boss inserts with one statement. */
const BOSS_BATCH = 5_000;

/**
 * Inserts the keys of handled events into a new store, in bulk.
 *
 * @param {Store} store
 * @param {number} count
 */
export async function fillRememberedEvents(store, count) {
  if (store.id === 'sqlite') {
    await fillSqlite(store, (numbers, now) => [
      `${numbers(count)} INSERT INTO seen_key (seq, digest, seen_at) SELECT i, randomblob(16), ${now} FROM n`,
    ]);
  } else {
    await fillPostgres(store, (table, now) => [
      `INSERT INTO ${table('seen_key')} (digest, seen_at)
       SELECT uuid_send(gen_random_uuid()), ${now} FROM generate_series(1, ${count})`,
    ]);
  }
}

/**
 * Inserts waiting conversations with one event each into a new store, in bulk. Their ids are scattered, as real ids
 * are: neighbours in time are not neighbours in an index.
 *
 * @param {Store} store
 * @param {number} count
 * @param {'message' | 'handoff.message'} event
 */
export async function fillWaitingConversations(store, count, event = 'message') {
  if (store.id === 'pg-boss') return fillBoss(store, count);
  const isSqlite = store.id === 'sqlite';
  const scattered = '(i * 2654435761) % 4294967296';
  const id = isSqlite
    ? `printf('%08x-7d3a-7c1e-9f00-%012d', ${scattered}, i)`
    : `lpad(to_hex(${scattered}), 8, '0') || '-7d3a-7c1e-9f00-' || lpad(i::text, 12, '0')`;
  const jobs = (/** @type {string} */ table, /** @type {number} */ now) =>
    `INSERT INTO ${table} (seq, queue, conversation, type, attempts, created_at, error, content)
     SELECT i, 'inbox', ${id}, '${event}', CASE WHEN i % ${2 * NOT_DUE_EVERY} = 0 THEN 1 ELSE 0 END,
       ${now - count} + i, CASE WHEN i % ${NOT_DUE_EVERY} = 0 THEN 'not yet' END,
       '{"name":"${event}","bot":"default","key":"message ' || i || '","conversationId":"' || ${id} ||
       '","receivedAt":${now},"requestId":"' || i || '","body":${event === 'message' ? shortBody() : chatBody()}}' FROM n`;
  const heads = (/** @type {string} */ head, /** @type {string} */ job, /** @type {number} */ now) =>
    `INSERT INTO ${head} (queue, conversation, jobs, due_at, delay_ms)
     SELECT queue, conversation, 1, CASE WHEN error IS NULL THEN created_at ELSE ${now + NOT_DUE_MS} END,
       CASE WHEN error IS NULL THEN 0 ELSE ${NOT_DUE_MS} END
     FROM ${job} ORDER BY conversation`;
  if (isSqlite) {
    await fillSqlite(store, (numbers, now) => [
      `${numbers(count)} INSERT INTO seen_key (seq, digest, seen_at) SELECT i, randomblob(16), ${now} FROM n`,
      `${numbers(count)} ${jobs('job', now)}`,
      heads('head', 'job', now),
    ]);
  } else {
    await fillPostgres(store, (table, now) => [
      `INSERT INTO ${table('seen_key')} (digest, seen_at)
       SELECT uuid_send(gen_random_uuid()), ${now} FROM generate_series(1, ${count})`,
      `WITH n (i) AS (SELECT * FROM generate_series(1::bigint, ${count})) ${jobs(table('job'), now)}`,
      heads(table('head'), table('job'), now),
    ]);
  }
}

/** A message of one line: a million bodies of the usual size would take gigabytes. */
const shortBody = () =>
  JSON.stringify({
    user_id: 'user_48151623',
    message_id: 'message',
    output: [{ content: { text: 'Your order arrives on Thursday.' } }],
  });

/** What a user says to an agent. */
const chatBody = () =>
  JSON.stringify({ conversation_id: 'c', timestamp: 1760000000000, body: 'When does my order arrive?' });

/**
 * @param {Store} store
 * @param {(numbers: (count: number) => string, now: number) => string[]} statements
 */
async function fillSqlite({ folder }, statements) {
  const file = join(folder, 'handoff.db');
  await (await openSqliteDatabase(file)).close();
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(file);
  const numbers = (/** @type {number} */ count) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN');
  for (const sql of statements(numbers, Date.now())) database.exec(sql);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/**
 * @param {Store} store
 * @param {(table: (name: string) => string, now: number) => string[]} statements
 */
async function fillPostgres({ url, schema }, statements) {
  await (await openPostgresDatabase({ connectionString: url, schema })).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  // Indexes are built faster than they are updated row by row.
  const { rows: indexes } = await client.query(
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE 'CREATE INDEX%'",
    [schema],
  );
  for (const { indexname } of indexes) await client.query(`DROP INDEX ${schema}.${indexname}`);
  for (const sql of statements((name) => `${schema}.${name}`, Date.now())) await client.query(sql);
  for (const { indexdef } of indexes) await client.query(indexdef);
  await settlePostgres(client, schema);
  await client.end();
}

/** Does what autovacuum and the checkpointer do in a server that has run for a while. */
async function settlePostgres(/** @type {Client} */ client, /** @type {string} */ schema) {
  const { rows } = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
  for (const { tablename } of rows) await client.query(`VACUUM ANALYZE ${schema}."${tablename}"`);
  await client.query('CHECKPOINT');
}

async function fillBoss(/** @type {Store} */ { url, schema }, /** @type {number} */ count) {
  const { insert, close } = await openBoss(url, schema);
  const content = shortBody();
  const startAfter = new Date(Date.now() + NOT_DUE_MS);
  for (let from = 0; from < count; from += BOSS_BATCH) {
    const jobs = Array.from({ length: Math.min(BOSS_BATCH, count - from) }, (_, index) => ({
      data: { content },
      singletonKey: `conversation-${from + index}`,
      ...((from + index) % NOT_DUE_EVERY === 0 && { startAfter }),
    }));
    await insert(jobs);
  }
  await close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await settlePostgres(client, schema);
  await client.end();
}
