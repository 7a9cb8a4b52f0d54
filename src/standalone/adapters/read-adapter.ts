import type { Adapter } from '../../bridge/index.js';
import { HandoffKitError } from '../../protocol/index.js';
import { type ConfigFile, readConfigFile } from '../config-file.js';
import type { SettingSources } from '../read-settings.js';
import { type SettingProblem, SettingsError } from '../settings-error.js';
import type { SettingKey } from '../settings-schema.js';
import { SETTING_KEYS, SETTINGS } from '../settings-table.js';
import { ADAPTER_CATALOG, ADAPTER_NAMES, type AdapterName } from './catalog.js';

/** Makes the adapter that settings name, whatever else the program would need. Lists everything that is wrong. */
export function readAdapter({ flags = {}, env, configFile }: SettingSources): Adapter {
  const file: Pick<ConfigFile, 'values' | 'problems'> =
    configFile === undefined ? { values: {}, problems: [] } : readConfigFile(configFile);
  const values: Partial<Record<SettingKey, string>> = {};
  for (const key of SETTING_KEYS) {
    const value = flags[key] ?? env[SETTINGS[key].env] ?? file.values[key];
    if (value !== undefined && value.trim() !== '') values[key] = value;
  }
  const name = ADAPTER_NAMES.find((each) => each === values.adapter);
  const problems = [...file.problems, ...(name ? missing(name, values) : [unnamed(values.adapter)])];
  if (!name || problems.length > 0) throw new SettingsError(problems);
  return make(name, values);
}

const unnamed = (given: string | undefined): SettingProblem => ({
  setting: SETTINGS.adapter.env,
  from: null,
  message: `${given === undefined ? 'is missing' : 'names none'}. It must be one of ${ADAPTER_NAMES.join(', ')}.`,
});

const missing = (name: AdapterName, values: Partial<Record<SettingKey, string>>): SettingProblem[] =>
  ADAPTER_CATALOG[name].needs
    .filter((key) => values[key] === undefined)
    .map((key) => ({
      setting: SETTINGS[key].env,
      from: null,
      message: `is missing: ADAPTER=${name} needs it.`,
    }));

function make(name: AdapterName, values: Partial<Record<SettingKey, string>>): Adapter {
  try {
    return ADAPTER_CATALOG[name].make(values);
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    const message = `cannot be set up: ${error.message}`;
    throw new SettingsError([{ setting: SETTINGS.adapter.env, from: null, message }]);
  }
}
