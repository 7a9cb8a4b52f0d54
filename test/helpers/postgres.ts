import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { type PostgresOptions, postgres } from '../../src/delivery/postgres/index.js';
import type { Engine } from '../delivery/contract.js';

/** Where the tests' database is: `DATABASE_URL` where that is set, else a server that all tests share. */
const databaseUrl = (): string => inject('postgresUrl');

/** A schema of its own for each test. */
export interface PostgresStore {
  readonly connectionString: string;
  readonly schema: string;
  /** Runs a statement, as an administrator would. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Names a schema, which is created when it is opened. */
export async function createPostgresStore(at?: string): Promise<PostgresStore> {
  const connectionString = at ?? databaseUrl();
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const query: PostgresStore['query'] = async (sql, values = []) => {
    const client = new Client({ connectionString });
    // A test may cut every connection, this one too.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  return {
    connectionString,
    schema,
    query,
    remove: async () => void (await query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
  };
}

/** The same, removed when the test ends. */
export async function postgresStore(at?: string): Promise<PostgresStore> {
  const store = await createPostgresStore(at);
  onTestFinished(() => store.remove());
  return store;
}

/** Longer than any test: conversations pass to another process because they were released, not because time passed. */
const LEASE_MS = 600_000;

/** Schemas of PostgreSQL, for the contract. */
export const postgresEngine: Engine = {
  stores: true,
  async createStore() {
    const store = await createPostgresStore();
    const engine = engineOn(store, { leaseMs: LEASE_MS, pollMs: 200, pool: { max: 5 } });
    return {
      ...(await engine.createStore()),
      async setNewerVersion(isNewer) {
        const step = isNewer ? 90 : -90;
        await store.query(`UPDATE ${store.schema}.schema_version SET version = version + $1`, [step]);
      },
      remove: () => store.remove(),
    };
  },
  openUnusable: () => postgres({ connectionString: 'postgres://127.0.0.1:1/none' }),
};

/** An engine whose every delivery is opened on the same store, with settings of the test's own. */
export function engineOn(
  { connectionString, schema }: Pick<PostgresStore, 'connectionString' | 'schema'>,
  settings: Partial<PostgresOptions> = {},
): Engine {
  return {
    stores: true,
    createStore: async () => ({
      open: (options) => postgres({ connectionString, schema, ...settings, ...options }),
      remove: async () => {},
    }),
  };
}
