import type { Command } from 'commander';
import { openDocumentStore } from '../../desk/records.js';
import { printable } from '../../internal/readable-log.js';
import {
  addDatabaseFlags,
  DATABASE_HELP,
  type DatabaseFlags,
  type OpenQueues,
  runWithDatabase,
} from '../database-flags.js';
import { confirm } from '../input.js';
import { EXIT, type Output, print, UsageError } from '../output.js';

type ForgetFlags = DatabaseFlags & {
  readonly user: string;
  readonly bot?: string;
  readonly yes?: boolean;
};

const MORE_HELP = `${DATABASE_HELP}

What it does:
  It finds the conversations of a user by the user_id or anonymous_id of bots' messages and handoff requests, and
  removes all their data: waiting jobs, dead letters and finished jobs of inbox and outbox, the state of their
  handed-over conversations, replies of agents that wait to be applied, and what the desk stored of them. Waiting jobs
  are no longer handled or sent. A user who is known to the platform by several ids has to be forgotten under each of
  them. With several bots, a user is forgotten at all of them unless --bot names one.
  It does not reach backups, your log, or data that your handlers have stored elsewhere.

Examples:
  $ handoff-kit forget --user user-1
  $ handoff-kit forget --user user-1 --yes --json

Exit codes: 0 no data of the user is stored any more, also when none was, 1 it failed or you said no, 2 wrong use`;

/** `forget`: removes a user's data. */
export function define(command: Command): void {
  command
    .description("Removes a user's data from inbox, outbox and dead letters, for good.")
    .requiredOption('--user <id>', 'the user_id or anonymous_id of the user')
    .option('--bot <name>', 'only conversations with this bot of several')
    .option('-y, --yes', 'do not ask');
  addDatabaseFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((flags: ForgetFlags) =>
      runWithDatabase(flags, (database, output) => forget(flags, database, output)),
    );
}

async function forget(
  { user, bot, yes = false }: ForgetFlags,
  { queues, sql, name }: OpenQueues,
  output: Output,
): Promise<number> {
  if (user.trim() === '') throw new UsageError('--user is empty. Give the id of a user.');
  if (!(await confirm(`Remove all data of ${printable(user)} from ${name}?`, yes))) {
    process.stderr.write('Nothing was removed.\n');
    return EXIT.no;
  }
  // The tables of the desk and of bridges are their own: this adds them to what is forgotten.
  await openDocumentStore(sql);
  const { forgetStoredEvents } = await import('../../bridge/index.js');
  forgetStoredEvents(sql);
  const removed = await queues.forget(user, { bot });
  const text = `Jobs and conversations removed: ${removed}.`;
  print(output, { user, removed }, removed === 0 ? 'No data of this user was stored.' : text);
  return EXIT.ok;
}
