import { type Command, Option } from 'commander';
import { createColors } from 'picocolors';
import type { CheckResult } from '../../bridge/index.js';
import { silentLog } from '../../logging/index.js';
import {
  ADAPTER_CATALOG,
  ADAPTER_NAMES,
  adapterPath,
  printable,
  readAdapter,
  SETTINGS,
  type SettingKey,
  settingsOf,
} from '../../standalone/index.js';
import { registerScrip } from '../adapter/scrip.js';
import { EXIT, type OutputFlags } from '../output.js';
import { addOutputFlags, print, runCommand } from '../run-command.js';
import { table } from '../table.js';

type CheckFlags = Readonly<Partial<Record<SettingKey, string>>> & OutputFlags & { readonly config?: string };

/** How long a check may take as a whole. */
const CHECK_WITHIN_MS = 60_000;

const LISTED = ADAPTER_NAMES.map((name) => {
  const { needs, takes } = ADAPTER_CATALOG[name];
  const env = (keys: readonly SettingKey[]) => keys.map((key) => SETTINGS[key].env).join(', ');
  return `  ${name}\n    needs  ${env(needs)}\n    takes  ${env(takes)}\n    its webhooks go to  ${adapterPath(name)}`;
}).join('\n');

const MORE_HELP = `
Settings come from the environment, from --config FILE, or as flags, as for handoff-kit serve:
${LISTED}

Examples:
  $ export ADAPTER=slack SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… SLACK_CHANNEL=C0123456789
  $ handoff-kit adapter check
  $ handoff-kit adapter check --config handoff.json --json

Exit codes: 0 everything is in order, 1 something is not, 2 a setting is missing or wrong`;

/** Adds `adapter`: looks after the connection to a human-service system. */
export function registerAdapter(program: Command): void {
  const adapter = program
    .command('adapter')
    .summary('look after the connection to a human-service system')
    .description('Looks after the connection to the human-service system where agents answer.');
  const check = adapter
    .command('check')
    .summary('whether address, credentials, rights, secret and clock are right')
    .description('Asks the human-service system whether everything is set up. Changes nothing there.')
    .option('--config <file>', 'a JSON file with settings');
  addOutputFlags(check).addOption(optionOf('adapter'));
  for (const name of ADAPTER_NAMES) {
    for (const key of settingsOf(name)) check.addOption(optionOf(key).helpGroup(`With ADAPTER=${name}:`));
  }
  check.addHelpText('after', MORE_HELP).action(run);
  registerScrip(adapter);
}

function optionOf(key: SettingKey): Option {
  const { flag, env, help } = SETTINGS[key];
  return new Option(flag, `[${env}] ${help}`);
}

function run({ config, json, ...flags }: CheckFlags): Promise<void> {
  return runCommand({ json }, async (output) => {
    const adapter = readAdapter({ flags, env: process.env, configFile: config });
    try {
      const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
      const results = await adapter.check({ signal, log: silentLog });
      const ok = results.every((result) => result.ok);
      print(output, { ok, adapter: adapter.name, results }, textOf(results, output.colours));
      return ok ? EXIT.ok : EXIT.no;
    } finally {
      await adapter.dispose?.();
    }
  });
}

function textOf(results: readonly CheckResult[], colours: boolean): string {
  const { green, red } = createColors(colours);
  const rows = results.map(({ ok, name, detail }) => [ok ? 'ok' : 'NOT OK', name, detail].map(printable));
  return table(rows)
    .split('\n')
    .map((line, index) => (results[index]?.ok ? green(line) : red(line)))
    .join('\n');
}
