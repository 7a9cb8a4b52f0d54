import { type Command, Option } from 'commander';
import {
  ADAPTER_CATALOG,
  ADAPTER_NAMES,
  adapterPath,
  SETTINGS,
  type SettingKey,
  settingsOf,
} from '../../standalone/index.js';
import type { AdapterFlags } from '../adapter/check.js';
import { registerScrip } from '../adapter/scrip.js';
import type { OutputFlags } from '../output.js';
import { addOutputFlags, runCommand } from '../run-command.js';

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

/** `adapter`: looks after the connection to a human-service system. */
export function define(adapter: Command): void {
  adapter.description('Looks after the connection to the human-service system where agents answer.');
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

function run({ json, ...flags }: AdapterFlags & OutputFlags): Promise<void> {
  return runCommand({ json }, async (output) => {
    const { checkAdapter } = await import('../adapter/check.js');
    return checkAdapter(flags, output);
  });
}
