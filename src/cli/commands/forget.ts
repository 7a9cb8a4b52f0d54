import type { Command } from 'commander';
import { printable } from '../../standalone/index.js';
import { confirm } from '../confirm.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import {
  addDatabaseFlags,
  DATABASE_HELP,
  type DatabaseFlags,
  type OpenDatabase,
  runWithDatabase,
} from '../queues/database-flags.js';
import { print, UsageError } from '../run-command.js';

type ForgetFlags = DatabaseFlags & { readonly user: string; readonly yes?: boolean };

const MORE_HELP = `${DATABASE_HELP}

What it does:
  It finds the conversations of a person by the user_id or anonymous_id of agents' messages and handoff requests, and
  removes everything of them from inbox and outbox: what waits, what is dead, what is done, and what is known of their
  handed-over conversations. What waits is not handled or sent any more. A person has more than one id where the
  service knows more than one: forget each.
  It does not reach backups, your log, nor what your handlers have stored elsewhere.

Examples:
  $ handoff-kit forget --user user-1
  $ handoff-kit forget --user user-1 --yes --json

Exit codes: 0 nothing of the person is stored any more, also when nothing was, 1 it failed or you said no, 2 wrong use`;

/** `forget`: removes a person's data. */
export function define(command: Command): void {
  command
    .description("Removes a person's data from inbox, outbox and dead letters, for good.")
    .requiredOption('--user <id>', 'the user_id or anonymous_id of the person')
    .option('-y, --yes', 'do not ask');
  addDatabaseFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((flags: ForgetFlags) =>
      runWithDatabase(flags, (database, output) => forget(flags, database, output)),
    );
}

async function forget(
  { user, yes = false }: ForgetFlags,
  { queues, name }: OpenDatabase,
  output: Output,
): Promise<number> {
  if (user.trim() === '') throw new UsageError('--user is empty. Give the id of a person.');
  if (!(await confirm(`Remove everything of ${printable(user)} from ${name}?`, yes))) {
    process.stderr.write('Nothing was removed.\n');
    return EXIT.no;
  }
  const removed = await queues.forget(user);
  const text = `${removed} ${removed === 1 ? 'item' : 'items'} removed.`;
  print(output, { user, removed }, removed === 0 ? 'Nothing of this person was stored.' : text);
  return EXIT.ok;
}
