import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASES_FOLDER } from '../../helpers/databases-folder.js';
import type { CrashStore } from './run.js';

const QUICK = { outbox: { minDelayMs: 20, maxDelayMs: 200 } };

/** A file that all receivers share. */
export async function sqliteCrashStore(): Promise<CrashStore> {
  const folder = await mkdtemp(join(DATABASES_FOLDER, 'handoff-kit-crash-'));
  return {
    engine: 'sqlite',
    options: { ...QUICK, file: join(folder, 'handoff.db'), leaseMs: 2_000, pollMs: 50 },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A separate server, which the test restarts too. */
export async function postgresCrashStore(): Promise<CrashStore> {
  const { startServer } = await import('../../helpers/postgres-server.js');
  const server = await startServer();
  const { connectionString } = server;
  return {
    engine: 'postgres',
    options: {
      ...QUICK,
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
