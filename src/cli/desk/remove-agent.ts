import type { Command } from 'commander';
import { createAgents } from '../../adapters/desk/records/index.js';
import { EXIT } from '../exit.js';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags } from '../queues/database-flags.js';
import { print } from '../run-command.js';
import { runWithShelf } from './with-shelf.js';

const MORE_HELP = `${DATABASE_HELP}

Who is logged in is out with their next request. Their conversations stay theirs until another agent takes them over.

Exit codes: 0 it worked, 1 there is no such agent, 2 wrong use`;

/** Adds `desk remove-agent`. */
export function registerRemoveAgent(desk: Command): void {
  const command = desk
    .command('remove-agent <login>')
    .summary('let somebody work at the desk no more')
    .description('Takes away the right to log in at the desk.');
  addDatabaseFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(login: string, flags: DatabaseFlags): Promise<void> {
  return runWithShelf(flags, async ({ shelf, name }, output) => {
    const removed = await createAgents(shelf).remove(login);
    print(output, { login, removed }, removed ? `${login} was removed.` : `There is no ${login} in ${name}.`);
    return removed ? EXIT.ok : EXIT.no;
  });
}
