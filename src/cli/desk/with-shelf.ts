import type { Shelf } from '../../delivery/index.js';
import { DEFAULT_DATABASE_URL, databaseText, openShelf, readDatabaseUrl } from '../../standalone/index.js';
import type { Output } from '../output.js';
import type { DatabaseFlags } from '../queues/database-flags.js';
import { runCommand, UsageError } from '../run-command.js';

/** A shelf that is open, with what its database is called. */
export interface NamedShelf {
  readonly shelf: Shelf;
  /** Where it is, without credentials. */
  readonly name: string;
}

/** Runs a command on the shelf of the database, and lets go of it at the end. */
export function runWithShelf(
  { databaseUrl = DEFAULT_DATABASE_URL, ...flags }: DatabaseFlags,
  work: (shelf: NamedShelf, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    if (databaseUrl.trim() === '')
      throw new UsageError('DATABASE_URL is empty. Give it a value, or remove it.');
    const choice = readDatabaseUrl(databaseUrl);
    const opened = await openShelf(choice);
    try {
      return await work({ shelf: opened.shelf, name: databaseText(choice) }, output);
    } finally {
      await opened.close();
    }
  });
}
