import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { HandoffKitError } from '../../protocol/index.js';
import type { Database } from './database.js';

/** Brings what was committed to the disk, while the event loop goes on. */
export interface Disk {
  /** Resolves once everything that was committed before this call survives a power cut. */
  sync(): Promise<void>;
  /** Lets go of the file, once nothing is under way. */
  close(): Promise<void>;
}

const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/** How long the log grows before SQLite brings it into the database, which holds up the event loop: 16 MB. */
const LOG_PAGES = 4_000;

/**
 * Takes over the syncing of a database's log, which SQLite itself would do within each commit, with the event loop
 * standing still: on a slow disk for most of the time. From then on a commit is on disk when {@link Disk.sync}
 * resolves, and not before. What SQLite syncs to keep the file sound, it still does. `null` where the database has
 * no log of that kind or it cannot be opened: then SQLite goes on syncing within each commit.
 */
export function openDisk(database: Database, file: string): Disk | null {
  if (database.prepare('PRAGMA journal_mode').get()?.journal_mode !== 'wal') return null;
  let log: number;
  try {
    log = openSync(`${file}-wal`, 'r+');
  } catch {
    return null;
  }
  database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
  /** Once a sync has failed, the next may succeed although what was to be synced is lost. */
  let failed = false;
  let underWay: Promise<void> = Promise.resolve();

  /** Brings all that is in the log into the database itself, and that to the disk. */
  const mend = (): void => {
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (Number(row?.busy) !== 0) {
      throw new HandoffKitError(
        'DISK_FAILED',
        'the disk failed, and what it has cannot be made sure of yet.',
      );
    }
    failed = false;
  };

  return {
    async sync() {
      if (failed) return mend();
      const syncing = syncFile(log).catch((error: unknown) => {
        failed = true;
        throw error;
      });
      underWay = syncing.catch(() => undefined);
      await syncing;
    },
    async close() {
      await underWay;
      await closeFile(log);
    },
  };
}
