import { type ConfigFile, readConfigFile } from './config-file.js';
import { devSettings } from './dev-settings.js';
import { type SettingProblem, SettingsError } from './settings-error.js';
import { type SettingKey, type Settings, settingsSchema } from './settings-schema.js';
import { SETTING_KEYS, SETTINGS } from './settings-table.js';
import { checkTogether } from './settings-together.js';

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

/** Settings that let the program start. */
export interface ReadSettings {
  readonly settings: Settings;
  /** The credentials that were made up. */
  readonly generated: readonly SettingKey[];
}

/** A setting as it was found. */
interface Found {
  readonly value: string;
  readonly from: string;
}
type FoundSettings = Partial<Record<SettingKey, Found>>;

const NO_FILE: ConfigFile = { values: {}, problems: [], readable: true };

/** Reads and checks all settings. Throws a {@link SettingsError} that lists everything that is wrong. */
export function readSettings({ flags = {}, env, configFile, dev = false }: SettingSources): ReadSettings {
  const file = configFile === undefined ? NO_FILE : readConfigFile(configFile);
  const found: FoundSettings = {};
  for (const key of SETTING_KEYS) {
    const { env: name, flag } = SETTINGS[key];
    const given = [
      { value: flags[key], from: flag.split(' ')[0] ?? flag },
      { value: env[name], from: 'the environment' },
      { value: file.values[key], from: configFile ?? '' },
    ].find(({ value }) => value !== undefined);
    if (given?.value !== undefined) found[key] = { value: given.value, from: given.from };
  }

  const made = dev ? devSettings((key) => key in found) : { values: {}, generated: [] };
  const values = {
    ...made.values,
    ...Object.fromEntries(Object.entries(found).map(([key, { value }]) => [key, value])),
  };
  const { data, problems } = check(values, found);
  const all = [
    ...file.problems,
    ...problems.filter(({ from, setting }) => from !== null || !mayBeInFile(file, setting)),
  ];
  if (all.length > 0 || !data) throw new SettingsError(all);
  return { settings: data, generated: made.generated };
}

function check(values: Partial<Record<SettingKey, string>>, found: FoundSettings) {
  const problem = (key: SettingKey, message: string): SettingProblem => ({
    setting: SETTINGS[key].env,
    from: found[key]?.from ?? null,
    message,
  });
  const empty = SETTING_KEYS.filter((key) => values[key]?.trim() === '');
  const result = settingsSchema.safeParse(values);
  const wrong = new Map<SettingKey, string>();
  for (const { path, message } of result.error?.issues ?? []) {
    const key = SETTING_KEYS.find((known) => known === path[0]);
    if (key) wrong.set(key, message);
  }
  // An empty secret must not count as none: that would change who is let in.
  for (const key of empty) wrong.set(key, 'is empty. Give it a value, or remove it.');
  const problems = [
    ...[...wrong].map(([key, message]) => problem(key, message)),
    ...checkTogether(values)
      .filter(([key]) => !empty.includes(key))
      .map(([key, message]) => problem(key, message)),
  ];
  return { data: result.data, problems };
}

/** Whether a setting that is missing may be in the file, in a way that could not be read. */
const mayBeInFile = ({ readable, problems }: ConfigFile, name: string): boolean =>
  !readable || problems.some(({ setting }) => setting === name);
