import { type Database, rollBack } from './database.js';

/** Writes so that everything of one turn of the event loop shares one commit, and so one sync of the disk. */
export interface GroupCommit {
  /** Makes a change within the next commit. Resolves to what it returned once that is on disk. */
  write<Result>(change: () => Result): Promise<Result>;
}

interface Waiting {
  readonly change: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a {@link GroupCommit}. When a commit fails, nothing of its group has happened, and each is told. */
export function createGroupCommit(database: Database): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  let waiting: Waiting[] = [];

  const commitGroup = (): void => {
    const group = waiting;
    waiting = [];
    try {
      begin.run();
      const results = group.map(({ change }) => change());
      commit.run();
      for (const [index, { resolve }] of group.entries()) resolve(results[index]);
    } catch (error) {
      rollBack(database);
      for (const { reject } of group) reject(error);
    }
  };

  return {
    write: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve: resolve as Waiting['resolve'], reject });
        if (waiting.length === 1) setImmediate(commitGroup);
      }),
  };
}
