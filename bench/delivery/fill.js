import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgresDatabase } from '../../dist/delivery/postgres/index.js';
import { openSqliteDatabase } from '../../dist/delivery/sqlite/index.js';
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
  await (await openSqliteDatabase(file)).close();
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(file);
  const now = Date.now();
  database.exec(`PRAGMA synchronous = OFF; BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO seen_key (seq, digest, seen_at) SELECT i, randomblob(16), ${now} FROM n;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE`);
  database.close();
}

async function fillPostgres(
  /** @type {string} */ connectionString,
  /** @type {string} */ schema,
  /** @type {number} */ count,
) {
  const database = await openPostgresDatabase({ connectionString, schema });
  await database.close();
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  await client.query(
    `INSERT INTO ${schema}.seen_key (digest, seen_at)
     SELECT uuid_send(gen_random_uuid()), (extract(epoch from now()) * 1000)::bigint FROM generate_series(1, $1::int)`,
    [count],
  );
  // A server that runs for long has done both by itself.
  await client.query(`VACUUM ANALYZE ${schema}.seen_key`);
  await client.query('CHECKPOINT');
  await client.end();
}
