import { type ConfigFile, readConfigFile } from './config-file.js';
import type { SettingKey } from './settings-schema.js';
import { SETTING_KEYS, SETTINGS } from './settings-table.js';

/** Where settings come from. A flag counts before the environment, and that before the file. */
export interface SettingSources {
  /** What the command line says. */
  readonly flags?: Readonly<Partial<Record<SettingKey, string>>>;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The path of a JSON file. */
  readonly configFile?: string | undefined;
  /** For trying it out: credentials that are not set are made up, and only this machine can reach it. */
  readonly dev?: boolean | undefined;
}

/** A setting as it was found. */
interface Found {
  readonly value: string;
  readonly from: string;
}

/** Settings as they were found, unchecked. */
export type FoundSettings = Readonly<Partial<Record<SettingKey, Found>>>;

/** What the sources hold. */
export interface Gathered {
  readonly found: FoundSettings;
  readonly file: ConfigFile;
}

const NO_FILE: ConfigFile = { values: {}, problems: [], readable: true };

/** Takes each setting from the first source that has it. */
export function gatherSettings({ flags = {}, env, configFile }: SettingSources): Gathered {
  const file = configFile === undefined ? NO_FILE : readConfigFile(configFile);
  const found: Partial<Record<SettingKey, Found>> = {};
  for (const key of SETTING_KEYS) {
    const { env: name, flag } = SETTINGS[key];
    const given = [
      { value: flags[key], from: flag.split(' ')[0] ?? flag },
      { value: env[name], from: 'the environment' },
      { value: file.values[key], from: configFile ?? '' },
    ].find(({ value }) => value !== undefined);
    if (given?.value !== undefined) found[key] = { value: given.value, from: given.from };
  }
  return { found, file };
}

/** The values alone. */
export function valuesOf(found: FoundSettings): Partial<Record<SettingKey, string>> {
  return Object.fromEntries(Object.entries(found).map(([key, { value }]) => [key, value]));
}
