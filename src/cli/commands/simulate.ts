import { type Command, Option } from 'commander';
import type { SimulateFlags } from '../demo/run-simulate.js';
import { parsePort, parseTime, parseUrl } from '../parse-flags.js';

const MORE_HELP = `
It plays the service for a receiver that runs anywhere, in any language: it sends agent messages, handoff
requests, chat messages and close notices, takes replies, and has a page to type in as the customer, with
faults to switch on. At the start it asks the receiver with an availability test and says what to do if that
fails. It listens on this machine only.

Credentials can come from the environment (env: its name): other users of a machine can see command lines.
Without --username, messages carry no credentials, as handoff requests do by default.

Examples:
  Your receiver is at /webhook of port 3000, and handoffs have a token in their path:
    $ export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=… SERVICE_API_KEY=any-text
    $ handoff-kit simulate --receiver http://127.0.0.1:3000/webhook --port 4000

  The receiver of this package, in a second terminal with the same variables:
    $ SERVICE_BASE_URL=http://127.0.0.1:4000 HANDOFF_AUTH=path:$HANDOFF_TOKEN handoff-kit serve

  Users who nobody replies to time out quickly:
    $ handoff-kit simulate --receiver http://127.0.0.1:3000/webhook --wait-timeout 5s

Exit codes:
  0  stopped by SIGINT or SIGTERM, whether the receiver answered or not
  1  could not start
  2  used in a wrong way`;

/** `simulate`: the simulated service alone. */
export function define(command: Command): void {
  command
    .description('Starts the simulated service alone, pointed at a receiver that runs anywhere.')
    .requiredOption('--receiver <url>', 'where the receiver takes messages; handoffs go below it', parseUrl)
    .addOption(
      new Option('--username <name>', 'sent with messages: as Bearer, or as Basic with a secret').env(
        'WEBHOOK_USERNAME',
      ),
    )
    .addOption(
      new Option('--secret <text>', 'sent with messages, together with the username').env('WEBHOOK_SECRET'),
    )
    .addOption(
      new Option('--token <text>', 'handoffs go to <receiver>/<token>')
        .env('HANDOFF_TOKEN')
        .conflicts(['handoffUsername', 'handoffSecret']),
    )
    .addOption(new Option('--handoff-username <name>', 'sent with handoffs').env('HANDOFF_USERNAME'))
    .addOption(
      new Option('--handoff-secret <text>', 'sent with handoffs, together with that username').env(
        'HANDOFF_SECRET',
      ),
    )
    .addOption(
      new Option('--api-key <text>', 'the key that replies carry; made up if left out').env(
        'SERVICE_API_KEY',
      ),
    )
    .option('--port <number>', 'the port of the page and of the service; 0 takes any free one', parsePort, 0)
    .addOption(
      new Option('--wait-timeout <time>', 'how long a user waits for a first reply')
        .argParser(parseTime)
        .default(60_000, '60s'),
    )
    .option('--json', 'one JSON object a line')
    .addHelpText('after', MORE_HELP)
    .action(async (flags: SimulateFlags) => {
      const { runSimulate } = await import('../demo/run-simulate.js');
      await runSimulate(flags);
    });
}
