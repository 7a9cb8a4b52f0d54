import { join } from 'node:path';
import { loadDriver } from '../../../src/delivery/sqlite/database.js';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import type { SharedDatabase } from './contract.js';

/** Whether no process holds the write lock of a file. */
function isWritable(file: string): boolean {
  const DatabaseSync = loadDriver();
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** A new file. */
export async function createSqliteDatabase(): Promise<SharedDatabase> {
  const file = join(await temporaryFolder(), 'handoff.db');
  return { engine: 'sqlite', options: { file }, isWritable: () => isWritable(file) };
}
