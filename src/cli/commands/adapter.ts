import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
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
import type { AdapterFactory, AdapterHarness, ConformanceResult } from '../../testing/index.js';
import { variablesOfEnvFile } from '../env-file.js';
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

With a module, it runs the whole conformance kit instead, which opens conversations and writes to them. The module
exports createAdapter and harness, as for describeAdapter of handoff-kit/testing; its harness connects to your account.

Examples:
  $ export ADAPTER=slack SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… SLACK_CHANNEL=C0123456789
  $ handoff-kit adapter check
  $ handoff-kit adapter check --config handoff.json --json
  $ handoff-kit adapter check ./our-desk.conformance.js
  $ handoff-kit adapter check ./our-desk.conformance.js --only open,send --badge > badge.json

Exit codes: 0 everything is in order, 1 something is not, 2 a setting is missing or wrong`;

function defineCheck(adapter: Command): void {
  const check = adapter
    .command('check')
    .summary('check address, credentials, permissions, secret and clock')
    .description(
      'Checks whether the helpdesks of ADAPTER and BOT_ADAPTERS are reachable and configured, and changes nothing there. With a module, runs the conformance kit on an adapter of your own.',
    )
    .argument('[module]', 'a JavaScript file that exports createAdapter and harness')
    .option('--only <ids>', 'with a module: run these checks only, separated by commas')
    .option('--badge', 'with a module: print the result as a badge for shields.io')
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
    .action(
      (module: string | undefined, { json, only, badge, ...flags }: CheckFlags & KitFlags & OutputFlags) =>
        runCommand({ json }, (output) =>
          module === undefined ? checkAdapters(flags, output) : runKit(module, { only, badge }, output),
        ),
    );
}

interface KitFlags {
  readonly only?: string | undefined;
  readonly badge?: boolean | undefined;
}

/** Runs the conformance kit on the adapter of a module. */
async function runKit(path: string, { only, badge }: KitFlags, output: Output): Promise<number> {
  const { runConformance } = await import('../../testing/index.js');
  const { createAdapter, harness } = await loadKitModule(path);
  const { green, red, dim } = createColors(output.colours);
  const results: ConformanceResult[] = [];
  for await (const result of runConformance(createAdapter, harness, only ? { only: only.split(',') } : {})) {
    results.push(result);
    if (output.json || badge) continue;
    const { outcome, id, title, reason, error } = result;
    const colour = { passed: green, failed: red, skipped: dim }[outcome];
    const more = error?.message ?? (reason && `skipped: ${reason}`);
    process.stdout.write(`${colour(`${outcome.padEnd(7)} ${id}: ${title}`)}${more ? `\n${more}` : ''}\n`);
  }
  const count = (outcome: ConformanceResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const summary = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  if (badge) {
    const color = failed > 0 ? 'red' : 'brightgreen';
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, label: 'handoff-kit', message: summary, color })}\n`,
    );
  } else {
    const reported = results.map(({ error, ...result }) => ({ ...result, error: error?.message ?? null }));
    print(
      output,
      { ok: failed === 0, adapter: harness.name, passed, failed, skipped, results: reported },
      summary,
    );
  }
  return failed === 0 ? EXIT.ok : EXIT.no;
}

/** The part of a module that the kit needs. */
interface KitModule {
  readonly createAdapter: AdapterFactory;
  readonly harness: AdapterHarness;
}

const NEEDS_BUILD =
  'this version of Node does not run it as it is. Build it and give the JavaScript file, or use npm run check in a project of handoff-kit init --adapter.';

/** Node without support for types, syntax that is more than types, or an import of `./x.js` where only `./x.ts` is. */
function needsBuild(path: string, error: unknown): boolean {
  if (!/\.[cm]?ts$/.test(path) || !(error instanceof Error) || !('code' in error)) return false;
  if (error.code === 'ERR_MODULE_NOT_FOUND') return error.message.startsWith('Cannot find module');
  return error.code === 'ERR_UNKNOWN_FILE_EXTENSION' || error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
}

async function loadKitModule(path: string): Promise<KitModule> {
  if (!existsSync(resolve(path)))
    throw new UsageError(`there is no file ${path}. Check the path, or build the project first.`);
  const url = pathToFileURL(resolve(path)).href;
  const module: Partial<KitModule> = await import(url).catch((error: unknown) => {
    const reason = needsBuild(path, error) ? NEEDS_BUILD : error instanceof Error ? error.message : error;
    throw new UsageError(`cannot load ${path}: ${String(reason)}`, { cause: error });
  });
  const { createAdapter, harness } = module;
  if (typeof createAdapter !== 'function' || typeof harness?.start !== 'function')
    throw new UsageError(`${path} must export createAdapter, a function, and harness, an AdapterHarness.`);
  return { createAdapter, harness };
}

async function checkAdapters({ config, ...flags }: CheckFlags, output: Output): Promise<number> {
  const adapters = await createConfiguredAdapters({
    flags,
    env: process.env,
    fromEnvFile: variablesOfEnvFile,
    configFile: config,
  });
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
