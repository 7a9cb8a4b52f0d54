import { type Database, rollBack } from './database.js';
import type { Disk } from './disk.js';

/** Writes so that everything of one turn of the event loop shares one commit, and many of those one sync. */
export interface GroupCommit {
  /**
   * Makes a change within the next commit. Resolves to what it returned once that is on disk, or, for what need not
   * outlive a power cut, once it is committed.
   */
  write<Result>(change: () => Result, lasting?: boolean): Promise<Result>;
}

interface Waiting {
  readonly change: () => unknown;
  readonly lasting: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Committed {
  readonly by: Waiting;
  readonly result: unknown;
}

/**
 * Makes a {@link GroupCommit}. When a commit fails, nothing of its group has happened, and each is told. Without a
 * disk of its own, SQLite syncs within each commit.
 */
export function createGroupCommit(database: Database, disk: Disk | null = null): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  let waiting: Waiting[] = [];
  let committed: Committed[] = [];
  let unsynced = false;
  let syncing = false;

  const commitGroup = (): void => {
    const group = waiting;
    waiting = [];
    try {
      begin.run();
      const results = group.map(({ change }) => change());
      commit.run();
      for (const [index, by] of group.entries()) {
        if (disk && by.lasting) committed.push({ by, result: results[index] });
        else by.resolve(results[index]);
      }
      unsynced = true;
      if (disk && !syncing) void syncAll(disk);
    } catch (error) {
      rollBack(database);
      for (const { reject } of group) reject(error);
    }
  };

  /** What is committed while one sync is under way shares the next. */
  const syncAll = async (on: Disk): Promise<void> => {
    syncing = true;
    while (unsynced) {
      const group = committed;
      committed = [];
      unsynced = false;
      try {
        await on.sync();
        for (const { by, result } of group) by.resolve(result);
      } catch (error) {
        for (const { by } of group) by.reject(error);
      }
    }
    syncing = false;
  };

  return {
    write: (change, lasting = true) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, lasting, resolve: resolve as Waiting['resolve'], reject });
        if (waiting.length === 1) setImmediate(commitGroup);
      }),
  };
}
