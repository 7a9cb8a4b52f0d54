import { type Command, Option } from 'commander';
import type { OpenDatabase } from '../delivery/index.js';
import { type DocumentStore, openDocumentStore } from '../desk/records.js';
import { HandoffKitError } from '../internal/index.js';
import {
  chooseDatabase,
  DEFAULT_DATABASE_URL,
  describeDatabase,
  openDatabase,
  requireFile,
} from '../standalone/index.js';
import { addOutputFlags, type Output, type OutputFlags, runCommand, UsageError } from './output.js';

/** The flags of a command that uses the database. */
export interface DatabaseFlags extends OutputFlags {
  readonly databaseUrl?: string;
  readonly config?: string;
}

/** The explanation of {@link addDatabaseFlags} for the help. */
export const DATABASE_HELP = `
The database is the one of handoff-kit serve: DATABASE_URL or --database-url, else the one in the file of --config,
else ${DEFAULT_DATABASE_URL} in this folder. The server may run meanwhile. Other users of a machine can see command
lines: give a URL with a password in the environment or in the file.`;

/** Adds the flags of a command that uses the database. */
export function addDatabaseFlags(command: Command): Command {
  return addOutputFlags(
    command
      .addOption(new Option('--database-url <url>', 'sqlite:<file> or postgres://…').env('DATABASE_URL'))
      .option('--config <file>', "the server's JSON file with settings"),
  );
}

/** The queues of an open database. */
export interface OpenQueues extends Omit<OpenDatabase, 'close'> {
  /** The database without credentials, for messages. */
  readonly name: string;
  /** The file of an SQLite database; `null` for PostgreSQL. */
  readonly file: string | null;
}

/** Opens the queues of the database, runs the action, and closes them. */
export function runWithDatabase(
  flags: DatabaseFlags,
  action: (database: OpenQueues, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const choice = chosenDatabase(flags);
    const opened = await withDatabaseErrors(() => openDatabase(choice, { create: false }));
    try {
      const database = { ...opened, name: describeDatabase(choice), file: fileOf(choice) };
      return await withDatabaseErrors(() => action(database, output));
    } finally {
      await opened.close();
    }
  });
}

/** Runs an action on the SQLite file, without opening it. `instead` says what to do with PostgreSQL. */
export function runWithSqliteFile(
  flags: DatabaseFlags,
  instead: string,
  action: (file: string, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const choice = chosenDatabase(flags);
    if (choice.kind !== 'sqlite') throw new UsageError(`this command is for an SQLite file. ${instead}`);
    requireFile(choice);
    return withDatabaseErrors(() => action(choice.file, output));
  });
}

/** The desk's document store in an open database. */
export interface OpenDocumentStore {
  readonly store: DocumentStore;
  /** The database without credentials, for messages. */
  readonly name: string;
}

/** Opens the desk's document store, runs the action, and closes it. `create` allows a new SQLite file. */
export function runWithDocumentStore(
  flags: DatabaseFlags,
  action: (database: OpenDocumentStore, output: Output) => Promise<number>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<void> {
  return runCommand(flags, async (output) => {
    const choice = chosenDatabase(flags);
    const opened = await withDatabaseErrors(() => openDatabase(choice, { create }));
    try {
      const store = await withDatabaseErrors(() => openDocumentStore(opened.sql));
      return await withDatabaseErrors(() => action({ store, name: describeDatabase(choice) }, output));
    } finally {
      await opened.close();
    }
  });
}

const fileOf = (choice: ReturnType<typeof chooseDatabase>): string | null =>
  choice.kind === 'sqlite' ? choice.file : null;

function chosenDatabase({ databaseUrl, config }: DatabaseFlags) {
  if (databaseUrl?.trim() === '') {
    throw new UsageError('DATABASE_URL is empty. Give it a value, or remove it.');
  }
  return chooseDatabase({ databaseUrl, configFile: config });
}

/** Turns a driver's error into a HandoffKitError, so that it is printed as one line and not as a bug. */
async function withDatabaseErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HandoffKitError || !(error instanceof Error)) throw error;
    const message = `the database failed (${error.message}). Check that it can be reached, and try again.`;
    throw new HandoffKitError('DATABASE_FAILED', message, { cause: error });
  }
}
