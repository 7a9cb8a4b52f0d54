import { type Command, Option } from 'commander';
import { createColors } from 'picocolors';
import type { RequestTrackerScrip } from '../../adapters/request-tracker/index.js';
import type { Adapter, AdapterCheckResult } from '../../bridge/index.js';
import { HandoffKitError, silentLog } from '../../internal/index.js';
import { printable } from '../../internal/readable-log.js';
import {
  ADAPTER_NAMES,
  ADAPTERS,
  adapterPath,
  createConfiguredAdapters,
  SETTINGS,
  type SettingTexts,
  settingsOf,
} from '../../standalone/index.js';
import { settingOption } from '../flags.js';
import {
  addOutputFlags,
  EXIT,
  type Output,
  type OutputFlags,
  print,
  runCommand,
  table,
  UsageError,
} from '../output.js';

/** `adapter`: the connection to a helpdesk. */
export function define(adapter: Command): void {
  adapter.description('Checks and sets up the connection to the helpdesk where agents answer.');
  defineCheck(adapter);
  defineScrip(adapter);
}

type CheckFlags = SettingTexts & { readonly config?: string };

/** The limit for a whole check. */
const CHECK_TIMEOUT_MS = 60_000;

const ADAPTERS_HELP = ADAPTER_NAMES.map((name) => {
  const { schema, webhooks } = ADAPTERS[name];
  const names = (isRequired: boolean): string =>
    settingsOf(schema)
      .flatMap((setting) => (setting.isRequired === isRequired ? [setting.env] : []))
      .join(', ');
  const optional = names(false) && `\n    optional  ${names(false)}`;
  const path = webhooks ? `\n    its webhooks go to  ${adapterPath(name)}` : '';
  return `  ${name}\n    required  ${names(true)}${optional}${path}`;
}).join('\n');

const CHECK_HELP = `
Settings come from the environment, from --config FILE, or from flags, as for handoff-kit serve:
${ADAPTERS_HELP}

Examples:
  $ export ADAPTER=slack SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… SLACK_CHANNEL=C0123456789
  $ handoff-kit adapter check
  $ handoff-kit adapter check --config handoff.json --json

Exit codes: 0 everything is in order, 1 something is not, 2 a setting is missing or wrong`;

function defineCheck(adapter: Command): void {
  const check = adapter
    .command('check')
    .summary('check address, credentials, permissions, secret and clock')
    .description(
      'Checks whether the helpdesks of ADAPTER and BOT_ADAPTERS are reachable and configured. Changes nothing there.',
    )
    .option('--config <file>', 'a JSON file with settings');
  addOutputFlags(check);
  for (const setting of SETTINGS.filter(({ env }) => env === 'ADAPTER' || env === 'BOT_ADAPTERS')) {
    check.addOption(settingOption(setting));
  }
  for (const name of ADAPTER_NAMES) {
    for (const setting of settingsOf(ADAPTERS[name].schema)) {
      check.addOption(settingOption(setting).helpGroup(`With ADAPTER=${name}:`));
    }
  }
  check
    .addHelpText('after', CHECK_HELP)
    .action(({ json, ...flags }: CheckFlags & OutputFlags) =>
      runCommand({ json }, (output) => checkAdapters(flags, output)),
    );
}

async function checkAdapters({ config, ...flags }: CheckFlags, output: Output): Promise<number> {
  const adapters = await createConfiguredAdapters({ flags, env: process.env, configFile: config });
  const results = (await Promise.all(adapters.map(resultsOf))).flat();
  const ok = results.every((result) => result.ok);
  const names = adapters.map(({ name }) => name);
  const text = checkText(results, names.length > 1, output.colours);
  print(output, { ok, adapter: names.join(', '), results }, text);
  return ok ? EXIT.ok : EXIT.no;
}

/** A result, with the adapter that it is about. */
type CheckResult = AdapterCheckResult & { readonly adapter: string };

async function resultsOf(adapter: Adapter): Promise<readonly CheckResult[]> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const results = await adapter.check({ signal, log: silentLog });
    return results.map((result) => ({ adapter: adapter.name, ...result }));
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    // One system that does not answer hides no results of another.
    return [{ adapter: adapter.name, name: 'check', ok: false, detail: error.message }];
  } finally {
    await adapter.dispose?.();
  }
}

function checkText(results: readonly CheckResult[], withAdapter: boolean, colours: boolean): string {
  const { green, red } = createColors(colours);
  const rows = results.map(({ adapter, ok, name, detail }) =>
    [ok ? 'ok' : 'NOT OK', ...(withAdapter ? [adapter] : []), name, detail].map(printable),
  );
  return table(rows)
    .split('\n')
    .map((line, index) => (results[index]?.ok ? green(line) : red(line)))
    .join('\n');
}

type ScripFlags = OutputFlags & {
  readonly url?: string;
  readonly queue?: string;
  readonly rtWebhookSecret?: string;
  readonly datafile?: boolean;
};

/** The minimum of the request-tracker adapter. */
const MIN_SECRET_LENGTH = 16;

const SCRIP_HELP = `
The Scrip reports the actions of agents in Request Tracker to this receiver at once. It contains the secret that it
signs with: keep it secret, and paste it under Admin > Scrips.

RT_WEBHOOK_SECRET is the one of handoff-kit serve. Of several, during a rotation, the Scrip signs with the first.

Example:
  $ export RT_WEBHOOK_SECRET=$(openssl rand -hex 32)
  $ handoff-kit adapter scrip --url https://your.host/adapters/request-tracker
  As a file that installs it, on the machine of Request Tracker:
    $ handoff-kit adapter scrip --url https://your.host/adapters/request-tracker --datafile > handoff-kit.scrip
    $ rt-setup-database-5 --action insert --skip-create --datafile handoff-kit.scrip

Exit codes: 0 success, 2 wrong use`;

function defineScrip(adapter: Command): void {
  const command = adapter
    .command('scrip')
    .summary('print the Scrip with which Request Tracker reports to this receiver')
    .description(
      'Prints the Scrip with which Request Tracker reports the actions of agents to this receiver.',
    )
    .option(
      '--url <url>',
      'the URL of this receiver for Request Tracker: https://your.host/adapters/request-tracker',
    )
    .option('--queue <name>', 'only this queue; default all queues, where other tickets are ignored')
    .option(
      '--datafile',
      'print a file that installs it: rt-setup-database-5 --action insert --skip-create --datafile FILE',
    )
    .addOption(
      new Option('--rt-webhook-secret <secret>', '[RT_WEBHOOK_SECRET] the secret that it signs with').env(
        'RT_WEBHOOK_SECRET',
      ),
    );
  addOutputFlags(command).addHelpText('after', SCRIP_HELP).action(printScrip);
}

function printScrip({ url, queue, datafile, rtWebhookSecret, json }: ScripFlags): Promise<void> {
  return runCommand({ json }, async (output) => {
    if (url === undefined) throw new UsageError('give --url: the URL of this receiver for Request Tracker.');
    const [secret = ''] = (rtWebhookSecret ?? '').split(',').map((each) => each.trim());
    if (secret.length < MIN_SECRET_LENGTH) {
      throw new UsageError(
        `give RT_WEBHOOK_SECRET, with ${MIN_SECRET_LENGTH} characters or more: the secret that the Scrip signs with.`,
      );
    }
    const { requestTrackerScrip } = await import('../../adapters/request-tracker/index.js');
    const scrip = requestTrackerScrip({ url, secret, ...(queue !== undefined && { queue }) });
    if (datafile) process.stdout.write(scrip.datafile);
    else print(output, scrip, scripText(scrip));
    return EXIT.ok;
  });
}

function scripText({ description, condition, prepare, commit }: RequestTrackerScrip): string {
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
