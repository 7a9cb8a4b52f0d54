import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashStore } from './run.js';

/** Kills are no failures of handlers, however many there are. */
const PATIENT = { maxAttempts: 10_000, outbox: { minDelayMs: 20, maxDelayMs: 200 } };

/** A file, shared by all receivers of this machine. */
export async function sqliteCrashStore(): Promise<CrashStore> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-crash-'));
  return {
    engine: 'sqlite',
    options: { ...PATIENT, file: join(folder, 'handoff.db'), leaseMs: 2_000, pollMs: 50 },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A server of its own, which is restarted too. */
export async function postgresCrashStore(): Promise<CrashStore> {
  const { startServer } = await import('../../helpers/postgres-server.js');
  const server = await startServer();
  const { connectionString } = server;
  return {
    engine: 'postgres',
    options: {
      ...PATIENT,
      connectionString,
      schema: 'crash',
      leaseMs: 2_000,
      pollMs: 200,
      pool: { max: 10 },
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    remove: () => server.remove(),
  };
}
