import { type Database, rollBack } from './database.js';
import type { Writes } from './writes.js';

/** The name of something to write. */
export type Verb = keyof Writes;

/** Something to write. */
export interface Call {
  readonly verb: Verb;
  readonly args: readonly unknown[];
}

/** Writes calls in one commit and gives their results; throws when it fails, and then nothing of it has happened. */
export type RunGroup = (calls: readonly Call[]) => unknown[];

/** Makes {@link RunGroup}. */
export function createRunGroup(database: Database, writes: Writes): RunGroup {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const verbs = writes as unknown as Readonly<Record<Verb, (...args: readonly unknown[]) => unknown>>;
  return (calls) => {
    try {
      begin.run();
      const results = calls.map(({ verb, args }) => verbs[verb](...args));
      commit.run();
      return results;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
}
