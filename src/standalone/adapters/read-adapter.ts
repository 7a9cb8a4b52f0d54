import type { Adapter } from '../../bridge/index.js';
import { gatherSettings, type SettingSources, valuesOf } from '../gather-settings.js';
import { type SettingProblem, SettingsError } from '../settings-error.js';
import type { SettingKey } from '../settings-schema.js';
import { SETTINGS } from '../settings-table.js';
import { adapterProblems, type Problem } from './adapter-problems.js';
import { ADAPTER_CATALOG, ADAPTER_NAMES, settingsOf } from './catalog.js';

/** Makes the adapter that settings name, whatever else the program would need. Lists everything that is wrong. */
export async function readAdapter(sources: SettingSources): Promise<Adapter> {
  const { found, file } = gatherSettings(sources);
  const values = valuesOf(found);
  const name = ADAPTER_NAMES.find((each) => each === values.adapter);
  const empty = name ? settingsOf(name).filter((key) => values[key]?.trim() === '') : [];
  const wrong = name
    ? (await adapterProblems(name, values)).filter(([key]) => !empty.some((each) => each === key))
    : [unnamed(values.adapter)];
  const all: Problem[] = [
    ...empty.map((key): Problem => [key, 'is empty. Give it a value, or remove it.']),
    ...wrong,
  ];
  const problem = ([key, message]: Problem): SettingProblem => ({
    setting: SETTINGS[key].env,
    from: found[key]?.from ?? null,
    message,
  });
  const told = file.readable ? all.map(problem) : [];
  if (!name || told.length + file.problems.length > 0) throw new SettingsError([...file.problems, ...told]);
  return await ADAPTER_CATALOG[name].make(values);
}

function unnamed(given: string | undefined): readonly [SettingKey, string] {
  const choice = `one of ${ADAPTER_NAMES.join(', ')}`;
  if (given === 'desk') return ['adapter', `is desk, which needs no check; it must be ${choice}.`];
  return ['adapter', `${given === undefined ? 'is missing' : 'names none'}. It must be ${choice}.`];
}
