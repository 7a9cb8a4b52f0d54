import { Pool } from 'pg';
import { describe, onTestFinished } from 'vitest';
import type { SqlDatabase, SqlRow } from '../../src/delivery/index.js';
import { createSqlDocumentStore } from '../../src/desk/server/store/sql-document-store.js';
import { type PostgresStore, postgresStore } from '../helpers/postgres.js';
import { testDocumentStore } from './document-store-contract.js';

/** A {@link SqlDatabase} on PostgreSQL. Subscribers poll. */
function openTestPostgres({ connectionString, schema }: PostgresStore): SqlDatabase {
  const pool = new Pool({ connectionString, max: 4 });
  onTestFinished(() => pool.end());
  const run = async (sql: string, values: readonly unknown[] = []): Promise<SqlRow[]> =>
    (await pool.query(sql, [...values])).rows;
  const transaction: SqlDatabase['transaction'] = async (statements) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const results: SqlRow[][] = [];
      for (const { sql, values = [], required } of statements) {
        const { rows } = await client.query(sql, [...values]);
        if (required && rows.length === 0) {
          await client.query('ROLLBACK');
          return null;
        }
        results.push(rows);
      }
      await client.query('COMMIT');
      return results;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  return {
    dialect: 'postgres',
    receiverName: () => null,
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    table: (name) => `${schema}.${name}`,
    list: (parameter) => `(SELECT jsonb_array_elements_text(${parameter}::jsonb))`,
    read: run,
    write: run,
    transaction,
    async migrate(component, migrations) {
      const lock = { sql: 'SELECT pg_advisory_xact_lock(hashtext($1))', values: [schema] };
      await transaction([lock, { sql: `CREATE SCHEMA IF NOT EXISTS ${schema}` }]);
      if ((await run('SELECT to_regclass($1) AS found', [`${schema}.${component}_document`]))[0]?.found)
        return;
      await transaction([lock, ...migrations.flat().map((sql) => ({ sql }))]);
    },
    publish() {},
    subscribe(_topic, listener) {
      const timer = setInterval(listener, 20);
      onTestFinished(() => clearInterval(timer));
      return () => clearInterval(timer);
    },
    onForget() {},
  };
}

describe('the document store in PostgreSQL', () => {
  testDocumentStore(async () => {
    const store = await postgresStore();
    const [here, there] = [openTestPostgres(store), openTestPostgres(store)].map(createSqlDocumentStore);
    if (!here || !there) throw new Error('two stores were opened');
    await here.head();
    return [here, there];
  });
});
