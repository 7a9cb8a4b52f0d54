import { type Command, InvalidArgumentError } from 'commander';
import { readAudit } from '../../adapters/desk/records/index.js';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags } from '../queues/database-flags.js';
import { print } from '../run-command.js';
import { table } from '../table.js';
import { runWithShelf } from './with-shelf.js';

type AuditFlags = DatabaseFlags & { readonly last: number };

/** Adds `desk audit`. */
export function registerAudit(desk: Command): void {
  const command = desk
    .command('audit')
    .summary('what was done at the desk, by whom and when')
    .description('Shows what was done at the desk, by whom and when; what people wrote is not in it.')
    .option('--last <number>', 'how many lines, the latest', count, 100);
  addDatabaseFlags(command).addHelpText('after', DATABASE_HELP).action(run);
}

function run({ last, ...flags }: AuditFlags): Promise<void> {
  return runWithShelf(flags, async ({ shelf }, output) => {
    const lines = await readAudit(shelf, last);
    const rows = lines.map(({ at, agent, action, conversationId = '', detail = '' }) =>
      [at.toISOString(), agent ?? '-', action, conversationId, detail].map(printable),
    );
    print(output, { lines }, rows.length > 0 ? table(rows) : 'Nothing was done yet.');
    return EXIT.ok;
  });
}

function count(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 100_000) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 100000.');
}
