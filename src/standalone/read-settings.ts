import type { ConfigFile } from './config-file.js';
import { devSettings } from './dev-settings.js';
import { type FoundSettings, gatherSettings, type SettingSources, valuesOf } from './gather-settings.js';
import { type SettingProblem, SettingsError } from './settings-error.js';
import { type SettingKey, type Settings, settingsSchema } from './settings-schema.js';
import { SETTING_KEYS, SETTINGS } from './settings-table.js';
import { checkTogether } from './settings-together.js';

/** Settings that let the program start. */
export interface ReadSettings {
  readonly settings: Settings;
  /** The credentials that were made up. */
  readonly generated: readonly SettingKey[];
}

/** Reads and checks all settings. Rejects with a {@link SettingsError} that lists everything that is wrong. */
export async function readSettings(sources: SettingSources): Promise<ReadSettings> {
  const { found, file } = gatherSettings(sources);
  const made = sources.dev ? devSettings((key) => key in found) : { values: {}, generated: [] };
  const values = { ...made.values, ...valuesOf(found) };
  const { data, problems } = await check(values, found);
  const all = [
    ...file.problems,
    ...problems.filter(({ from, setting }) => from !== null || !mayBeInFile(file, setting)),
  ];
  if (all.length > 0 || !data) throw new SettingsError(all);
  return { settings: data, generated: made.generated };
}

async function check(values: Partial<Record<SettingKey, string>>, found: FoundSettings) {
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
    ...(await checkTogether(values))
      .filter(([key]) => !empty.includes(key))
      .map(([key, message]) => problem(key, message)),
  ];
  return { data: result.data, problems };
}

/** Whether a setting that is missing may be in the file, in a way that could not be read. */
const mayBeInFile = ({ readable, problems }: ConfigFile, name: string): boolean =>
  !readable || problems.some(({ setting }) => setting === name);
