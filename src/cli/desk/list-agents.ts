import type { Command } from 'commander';
import { createAgents } from '../../adapters/desk/records/index.js';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags } from '../queues/database-flags.js';
import { print } from '../run-command.js';
import { table } from '../table.js';
import { runWithShelf } from './with-shelf.js';

/** Adds `desk list-agents`. */
export function registerListAgents(desk: Command): void {
  const command = desk
    .command('list-agents')
    .summary('who may work at the desk')
    .description('Lists those who may work at the desk.');
  addDatabaseFlags(command).addHelpText('after', DATABASE_HELP).action(run);
}

function run(flags: DatabaseFlags): Promise<void> {
  return runWithShelf(flags, async ({ shelf, name }, output) => {
    const agents = await createAgents(shelf).list();
    const rows = agents.map((agent) => [agent.id, agent.name].map(printable));
    const text =
      rows.length > 0 ? table(rows) : `There are no agents in ${name}. Make one: handoff-kit desk add-agent`;
    print(output, { agents }, text);
    return EXIT.ok;
  });
}
