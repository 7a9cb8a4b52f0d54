import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openPostgresDatabase, type PostgresOptions, postgres } from '../../src/delivery/postgres/index.js';
import type { Engine } from '../delivery/contract.js';

/** `DATABASE_URL` if set, else a server that all tests share; see postgres-server.ts. */
const databaseUrl = (): string => inject('postgresUrl');

/** A schema for one test. */
export interface PostgresStore {
  readonly connectionString: string;
  readonly schema: string;
  /** Runs a statement on a separate connection. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Chooses a new schema, which is created when a delivery opens it. */
export async function createPostgresStore(at?: string): Promise<PostgresStore> {
  const connectionString = at ?? databaseUrl();
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const query: PostgresStore['query'] = async (sql, values = []) => {
    const client = new Client({ connectionString });
    // A test may cut every connection, including this one.
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

/** Like createPostgresStore, but removed at the end of the test. */
export async function postgresStore(at?: string): Promise<PostgresStore> {
  const store = await createPostgresStore(at);
  onTestFinished(() => store.remove());
  return store;
}

/** Longer than any test, so that claims are released and never expire. */
const LEASE_MS = 600_000;

/** PostgreSQL for the delivery contract. */
export const postgresEngine: Engine = {
  stores: true,
  async createStore() {
    const store = await createPostgresStore();
    const engine = engineOn(store, { leaseMs: LEASE_MS, pollMs: 200, pool: { max: 5 } });
    return {
      ...(await engine.createStore()),
      async admin() {
        const { connectionString, schema } = store;
        const opened = await openPostgresDatabase({ connectionString, schema });
        onTestFinished(opened.close);
        return opened;
      },
      async setNewerVersion(isNewer) {
        const step = isNewer ? 90 : -90;
        await store.query(`UPDATE ${store.schema}.schema_version SET version = version + $1`, [step]);
      },
      remove: () => store.remove(),
    };
  },
  openUnusable: () => postgres({ connectionString: 'postgres://127.0.0.1:1/none' }),
};

/** An engine whose deliveries all use the same store, with the given settings. */
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
