import { type Command, Option } from 'commander';
import type { StoredQueues } from '../../delivery/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { chooseDatabase, DEFAULT_DATABASE_URL, databaseText, openQueues } from '../../standalone/index.js';
import type { Output, OutputFlags } from '../output.js';
import { addOutputFlags, runCommand, UsageError } from '../run-command.js';

/** What the command line says of the database. */
export interface DatabaseFlags extends OutputFlags {
  readonly databaseUrl?: string;
  readonly config?: string;
}

/** A database that is open, with what it is called. */
export interface OpenDatabase {
  readonly queues: StoredQueues;
  /** Where it is, without credentials. */
  readonly name: string;
}

/** What every command on the database says in its help. */
export const DATABASE_HELP = `
The database is the one that DATABASE_URL or --database-url names, or the file that --config names, as for handoff-kit
serve; ${DEFAULT_DATABASE_URL} of this folder without any of them. The server may run meanwhile. Other users of a
machine can see command lines: give a URL with a password in the environment or in the file.`;

/** Adds the flags of a command that works on the database. */
export function addDatabaseFlags(command: Command): Command {
  return addOutputFlags(
    command
      .addOption(new Option('--database-url <url>', 'sqlite:<file> or postgres://…').env('DATABASE_URL'))
      .option('--config <file>', "the server's JSON file with settings"),
  );
}

/** Runs a command on the database, and lets go of it at the end. */
export function runWithDatabase(
  { databaseUrl, config, ...flags }: DatabaseFlags,
  work: (database: OpenDatabase, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    if (databaseUrl?.trim() === '')
      throw new UsageError('DATABASE_URL is empty. Give it a value, or remove it.');
    const choice = chooseDatabase({ told: databaseUrl, configFile: config });
    const queues = await toldByDatabase(() => openQueues(choice));
    try {
      return await toldByDatabase(() => work({ queues, name: databaseText(choice) }, output));
    } finally {
      await queues.close();
    }
  });
}

/** What a database says when it fails is for people, too; it is no mistake of this program. */
export async function toldByDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HandoffKitError || !(error instanceof Error)) throw error;
    const message = `the database did not do it (${error.message}). Check that it can be reached, and try again.`;
    throw new HandoffKitError('DATABASE_FAILED', message, { cause: error });
  }
}
