import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { HandoffKitError } from '../../protocol/index.js';
import { createSimulator } from '../../simulator/index.js';
import { createCommandLog } from '../demo/command-log.js';
import { readOpenapi } from '../demo/openapi.js';
import { probeReceiver } from '../demo/probe-receiver.js';
import { simulateText } from '../demo/simulate-text.js';
import { agentFor, COMPONENT_ID, type ReceiverFlags, shownHandoffsUrl } from '../demo/simulated-agent.js';
import { watchUntilStopped } from '../demo/watch-until-stopped.js';
import { EXIT, type Output, outputFor, printFailure } from '../output.js';
import { parsePort, parseTime, parseUrl } from '../parse-flags.js';

interface SimulateFlags extends ReceiverFlags {
  readonly apiKey?: string;
  readonly port: number;
  readonly waitTimeout: number;
  readonly json?: boolean;
}

/** Mistakes in what was given, rather than in what happened. */
const WRONG_USE: readonly string[] = ['WRONG_USE', 'INVALID_AGENT'];

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

/** Adds `simulate`: the simulated service alone. */
export function registerSimulate(program: Command): void {
  program
    .command('simulate')
    .summary('play the service for a receiver of yours')
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
    .action(run);
}

async function run({ json = false, ...flags }: SimulateFlags): Promise<void> {
  const output = outputFor({ json });
  try {
    await simulate(flags, output);
    process.exitCode = EXIT.ok;
  } catch (error) {
    printFailure(error, output);
    const isWrongUse = error instanceof HandoffKitError && WRONG_USE.includes(error.code);
    process.exitCode = isWrongUse ? EXIT.wrongUse : EXIT.no;
  }
}

async function simulate(flags: Omit<SimulateFlags, 'json'>, output: Output): Promise<void> {
  const apiKey = flags.apiKey ?? randomBytes(24).toString('hex');
  const simulator = createSimulator({
    agents: [agentFor(flags, apiKey)],
    waitTimeoutMs: flags.waitTimeout,
    openapi: readOpenapi(),
    log: createCommandLog(output),
  });
  const url = await simulator.listen(flags.port);
  const probes = await probeReceiver(simulator, COMPONENT_ID);
  const shown = {
    url,
    openapi: `${url}/openapi.json`,
    // A key of one's own is known already, and stays out of the output; so does the token.
    environment: `SERVICE_BASE_URL=${url} SERVICE_API_KEY=${flags.apiKey === undefined ? apiKey : '…'}`,
    messagesUrl: flags.receiver,
    handoffsUrl: shownHandoffsUrl(flags),
    probes,
  };
  const opening = { data: shown, text: simulateText(shown, output.colours) };
  await watchUntilStopped({ traffic: simulator.traffic, opening, close: simulator.close }, output);
}
