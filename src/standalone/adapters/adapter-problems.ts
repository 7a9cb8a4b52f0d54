import { HandoffKitError } from '../../protocol/index.js';
import type { SettingKey } from '../settings-schema.js';
import { ADAPTER_CATALOG, type AdapterName, type SettingTexts, settingsOf } from './catalog.js';

/** A setting, and what is wrong with it. */
export type Problem = readonly [SettingKey, string];

/** How adapters begin their complaints: with their own name, and their own name of the setting. */
const THEIR_WORDS =
  /^(slack|chatwoot|request[ -]tracker): (?:(?:botToken|signingSecret|channel|teamUrl|insidePrefix) )?/i;

/** What an adapter misses or cannot use. Each setting is judged by itself, so that all is told at once. */
export function adapterProblems(name: AdapterName, values: SettingTexts<SettingKey>): Problem[] {
  const { needs, samples, make } = ADAPTER_CATALOG[name];
  const missing = needs.filter((key) => values[key] === undefined);
  const wrong = settingsOf(name).flatMap((key): Problem[] => {
    if (values[key] === undefined) return [];
    const complaint = complaintOf(() => make({ ...samples, [key]: values[key] }).dispose?.());
    return complaint === null ? [] : [[key, complaint]];
  });
  return [...missing.map((key): Problem => [key, `is missing: ADAPTER=${name} needs it.`]), ...wrong];
}

/** Adapters never put a value into what they say of it. */
function complaintOf(make: () => unknown): string | null {
  try {
    make();
    return null;
  } catch (error) {
    if (error instanceof HandoffKitError) return error.message.replace(THEIR_WORDS, '');
    throw error;
  }
}
