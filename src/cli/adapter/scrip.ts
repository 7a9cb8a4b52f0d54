import { type Command, Option } from 'commander';
import type { RequestTrackerScrip } from '../../adapters/request-tracker/index.js';
import { listOf } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { OutputFlags } from '../output.js';
import { addOutputFlags, print, runCommand, UsageError } from '../run-command.js';

type ScripFlags = OutputFlags & {
  readonly url?: string;
  readonly queue?: string;
  readonly rtWebhookSecret?: string;
  readonly datafile?: boolean;
};

/** What the adapter takes at least. */
const SHORTEST_SECRET = 16;

const MORE_HELP = `
The Scrip tells this receiver at once what agents do in Request Tracker. It holds the secret that it signs with: show
it to nobody, and paste it under Admin > Scrips.

RT_WEBHOOK_SECRET is the one that handoff-kit serve has. Of several, while it is being changed, the first is signed with.

Example:
  $ export RT_WEBHOOK_SECRET=$(openssl rand -hex 32)
  $ handoff-kit adapter scrip --url https://your.host/adapters/request-tracker
  As a file that installs it, on the machine of Request Tracker:
    $ handoff-kit adapter scrip --url https://your.host/adapters/request-tracker --datafile > handoff-kit.scrip
    $ rt-setup-database-5 --action insert --skip-create --datafile handoff-kit.scrip

Exit codes: 0 it worked, 2 wrong use`;

/** Adds `adapter scrip`: what Request Tracker must run to tell us what agents do. */
export function registerScrip(adapter: Command): void {
  const command = adapter
    .command('scrip')
    .summary('print the Scrip that makes Request Tracker tell us what agents do')
    .description('Prints the Scrip that makes Request Tracker tell this receiver what agents do.')
    .option(
      '--url <url>',
      'where Request Tracker reaches this receiver: https://your.host/adapters/request-tracker',
    )
    .option(
      '--queue <name>',
      'only in this queue; default in all, where tickets that are no handoff are passed over',
    )
    .option(
      '--datafile',
      'print a file that installs it: rt-setup-database-5 --action insert --skip-create --datafile FILE',
    )
    .addOption(
      new Option('--rt-webhook-secret <secret>', '[RT_WEBHOOK_SECRET] what it signs with').env(
        'RT_WEBHOOK_SECRET',
      ),
    );
  addOutputFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run({ url, queue, datafile, rtWebhookSecret: secret, json }: ScripFlags): Promise<void> {
  return runCommand({ json }, async (output) => {
    if (url === undefined) throw new UsageError('give --url: where Request Tracker reaches this receiver.');
    const [first = ''] = listOf(secret ?? '');
    if (first.length < SHORTEST_SECRET) {
      throw new UsageError(
        `give RT_WEBHOOK_SECRET, with ${SHORTEST_SECRET} characters or more: what the Scrip signs with.`,
      );
    }
    const { requestTrackerScrip } = await import('../../adapters/request-tracker/index.js');
    const scrip = requestTrackerScrip({ url, secret: first, ...(queue !== undefined && { queue }) });
    if (datafile) process.stdout.write(scrip.datafile);
    else print(output, scrip, textOf(scrip));
    return EXIT.ok;
  });
}

function textOf({ description, condition, prepare, commit }: RequestTrackerScrip): string {
  return `In Request Tracker: Admin > Scrips > Create (for one queue: Admin > Queues, the queue, Scrips > Create).

Description: ${description}
Condition:   User Defined
Action:      User Defined
Template:    Blank
Stage:       TransactionCreate

Custom condition:

${condition}

Custom action preparation code:

${prepare}

Custom action commit code:

${commit}`;
}
