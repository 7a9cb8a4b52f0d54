import type { Shelf } from '../../delivery/index.js';
import { chooseDatabase, databaseText, openShelf } from '../../standalone/index.js';
import type { Output } from '../output.js';
import { type DatabaseFlags, toldByDatabase } from '../queues/database-flags.js';
import { runCommand, UsageError } from '../run-command.js';

/** A shelf that is open, with what its database is called. */
export interface NamedShelf {
  readonly shelf: Shelf;
  /** Where it is, without credentials. */
  readonly name: string;
}

/** How the shelf is opened. */
export interface ShelfOptions {
  /** Whether a database file is made where there is none, as before the first start of the server. */
  readonly create?: boolean;
}

/** Runs a command on the shelf of the database, and lets go of it at the end. */
export function runWithShelf(
  { databaseUrl, config, ...flags }: DatabaseFlags,
  work: (shelf: NamedShelf, output: Output) => Promise<number>,
  { create = false }: ShelfOptions = {},
): Promise<void> {
  return runCommand(flags, async (output) => {
    if (databaseUrl?.trim() === '')
      throw new UsageError('DATABASE_URL is empty. Give it a value, or remove it.');
    const choice = chooseDatabase({ told: databaseUrl, configFile: config });
    const opened = await toldByDatabase(() => openShelf(choice, { create }));
    try {
      return await toldByDatabase(() => work({ shelf: opened.shelf, name: databaseText(choice) }, output));
    } finally {
      await opened.close();
    }
  });
}
