import { type Database, rollBack } from './database.js';
import type { Writes } from './writes.js';

/** The name of something to write. */
export type Verb = keyof Writes;

/** Something to write: its name, and what it is told. */
export type Call = readonly [verb: Verb, args: readonly unknown[]];

/** Writes calls in one commit and gives their results; throws when it fails, and then nothing of it has happened. */
export type RunGroup = (calls: readonly Call[]) => unknown[];

/** Makes {@link RunGroup}. */
export function createRunGroup(database: Database, writes: Writes): RunGroup {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const version = database.prepare('PRAGMA data_version');
  const verbs = writes as unknown as Readonly<Record<Verb, (...args: readonly unknown[]) => unknown>>;
  /** Changes whenever another connection has written. `undefined`: nothing of what is remembered is sure. */
  let before: unknown;

  const noticeOthers = (): void => {
    const now = version.get()?.data_version;
    if (before === undefined) writes.startOver();
    else if (now !== before) writes.noticeOthers();
    before = now;
  };

  return (calls) => {
    try {
      begin.get();
      noticeOthers();
      const results = calls.map(([verb, args]) => verbs[verb](...args));
      writes.flush();
      commit.get();
      return results;
    } catch (error) {
      rollBack(database);
      before = undefined;
      throw error;
    }
  };
}
