import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgresQueues } from '../../dist/delivery/postgres/index.js';
import { placeOf } from '../../dist/delivery/sqlite/hash.js';
import { openSqliteQueues } from '../../dist/delivery/sqlite/index.js';
import { loadSqlite } from './bare-sqlite.js';

/**
 * Puts so many handled events into a new store, as they are after their handlers have finished, in the few
 * seconds that a bulk insert takes.
 *
 * @param {{ id: string, folder: string, url: string, schema: string }} store
 * @param {number} count
 */
export function fill(store, count) {
  return store.id === 'sqlite'
    ? fillSqlite(store.folder, count)
    : fillPostgres(store.url, store.schema, count);
}

async function fillSqlite(/** @type {string} */ folder, /** @type {number} */ count) {
  const file = join(folder, 'handoff.db');
  await openSqliteQueues(file).close();
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(file);
  const now = Date.now();
  database.function('place', placeOf);
  database.exec(`PRAGMA synchronous = OFF; BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}),
      item (seq, key, lane) AS (SELECT i, 'message stored-' || i, 'stored-' || (i % 50000) FROM n)
    INSERT INTO inbox_known (seq, key, lane, place, created_at)
      SELECT seq, key, lane, place(lane, key), ${now} FROM item;
    INSERT INTO inbox_index SELECT place, seq FROM inbox_known ORDER BY place, seq;
    UPDATE filed SET upto = ${count} WHERE queue = 'inbox';
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE`);
  database.close();
}

async function fillPostgres(
  /** @type {string} */ connectionString,
  /** @type {string} */ schema,
  /** @type {number} */ count,
) {
  const queues = openPostgresQueues({ connectionString, schema });
  await queues.depth('inbox');
  await queues.close();
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  await client.query(
    `INSERT INTO ${schema}.job (name, id, data, state, policy, singleton_key, retry_limit, started_on, completed_on, deletion_seconds)
     SELECT 'inbox', gen_random_uuid(), jsonb_build_object('what', 'message', 'lane', '"stored"', 'rememberS', 604800, 'before', 0),
       'completed', 'key_strict_fifo', 'stored-' || (i % 50000), 1000000000, now(), now(), 604800
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  // A server that runs for long has done both by itself.
  await client.query(`VACUUM ANALYZE ${schema}.job`);
  await client.query('CHECKPOINT');
  await client.end();
}
