import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openConnection } from '../../src/delivery/sqlite/database.js';
import { openSqliteDatabase, type SqliteOptions, sqlite } from '../../src/delivery/sqlite/index.js';
import { sqliteWith } from '../../src/delivery/sqlite/sqlite.js';
import type { Delivery } from '../../src/public/index.js';
import type { Engine } from '../delivery/contract.js';
import { DATABASES_FOLDER } from './databases-folder.js';

/** A folder that is removed at the end of the test. */
export async function temporaryFolder(parent = DATABASES_FOLDER): Promise<string> {
  const folder = await mkdtemp(join(parent, 'handoff-kit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Longer than any test, so that claims are released and never expire. */
const LEASE_MS = 600_000;

/** SQLite with the writer thread of the built package. */
export const threadedSqlite = (options: SqliteOptions): Delivery =>
  sqliteWith(options, new URL('../../dist/delivery/sqlite/writer-thread.js', import.meta.url));

const engineOf = (openFile: (options: SqliteOptions) => Delivery): Engine => ({
  stores: true,
  async createStore() {
    const file = join(await mkdtemp(join(DATABASES_FOLDER, 'handoff-kit-')), 'handoff.db');
    return {
      open: (options) => openFile({ file, leaseMs: LEASE_MS, pollMs: 20, ...options }),
      async admin() {
        const opened = await openSqliteDatabase(file);
        onTestFinished(opened.close);
        return opened;
      },
      async setNewerVersion(isNewer) {
        const connection = openConnection(file);
        connection.exec(`UPDATE schema_version SET version = version ${isNewer ? '+' : '-'} 90`);
        connection.close();
      },
      remove: () => rm(join(file, '..'), { recursive: true, force: true }),
    };
  },
  openUnusable: () => openFile({ file: join(tmpdir(), 'handoff-kit-missing-folder', 'handoff.db') }),
});

/** SQLite with writes in the test's thread, for the delivery contract. */
export const sqliteEngine: Engine = engineOf(sqlite);

/** SQLite with the writer thread of the built package, for the delivery contract. */
export const threadedEngine: Engine = engineOf(threadedSqlite);
