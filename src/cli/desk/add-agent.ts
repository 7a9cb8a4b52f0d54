import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { createAgents } from '../../adapters/desk/records/index.js';
import { EXIT } from '../exit.js';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags } from '../queues/database-flags.js';
import { readText } from '../read-text.js';
import { print, UsageError } from '../run-command.js';
import { runWithShelf } from './with-shelf.js';

type AddFlags = DatabaseFlags & { readonly name?: string; readonly passwordStdin?: boolean };

const MORE_HELP = `${DATABASE_HELP}

Without --password-stdin a password is made up and shown once. For an agent who is there already, the password and the
name are replaced.

Examples:
  $ handoff-kit desk add-agent ann --name 'Ann Lee'
  $ printf '%s' "$PASSWORD" | handoff-kit desk add-agent ann --name 'Ann Lee' --password-stdin

Exit codes: 0 it worked, 1 it did not, 2 wrong use`;

/** Adds `desk add-agent`. */
export function registerAddAgent(desk: Command): void {
  const command = desk
    .command('add-agent <login>')
    .summary('let somebody work at the desk, or give them a new password')
    .description('Lets somebody log in at the desk; for one who can already, sets a new name and password.')
    .option('--name <name>', 'what other agents see; default the login')
    .option('--password-stdin', 'read the password from standard input');
  addDatabaseFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(login: string, { name = login, passwordStdin, ...flags }: AddFlags): Promise<void> {
  return runWithShelf(
    flags,
    async ({ shelf, name: database }, output) => {
      const given = passwordStdin ? (await readText('-')).replace(/\r?\n$/, '') : null;
      if (given === '') throw new UsageError('standard input was empty. Give the password there.');
      const password = given ?? randomBytes(12).toString('base64url');
      const done = await createAgents(shelf).save({ id: login, name }, password);
      const shown = given === null ? `\nPassword: ${password}\nIt is not shown again.` : '';
      const data = { login, name, done, ...(given === null && { password }) };
      print(output, data, `${login} was ${done} in ${database}.${shown}`);
      return EXIT.ok;
    },
    { create: true },
  );
}
