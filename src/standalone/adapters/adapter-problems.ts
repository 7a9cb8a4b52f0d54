import type { Adapter } from '../../bridge/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { SettingKey } from '../settings-schema.js';
import { ADAPTER_CATALOG, type AdapterName, type SettingTexts, settingsOf } from './catalog.js';

/** A setting, and what is wrong with it. */
export type Problem = readonly [SettingKey, string];

/** How adapters begin their complaints: with their own name, and their own name of the setting. */
const THEIR_WORDS =
  /^(slack|chatwoot|request[ -]tracker): (?:(?:botToken|signingSecret|channel|teamUrl|insidePrefix) )?/i;

/** What an adapter misses or cannot use. Each setting is judged by itself, so that all is told at once. */
export async function adapterProblems(
  name: AdapterName,
  values: SettingTexts<SettingKey>,
): Promise<Problem[]> {
  const entry = ADAPTER_CATALOG[name];
  const missing = entry.needs.filter((key) => values[key] === undefined);
  const given = settingsOf(name).filter((key) => values[key] !== undefined);
  const judged = await Promise.all(
    given.map(
      async (key) => [key, await complaintOf(entry.make({ ...entry.samples, [key]: values[key] }))] as const,
    ),
  );
  const wrong = judged.flatMap(([key, complaint]): Problem[] =>
    complaint === null ? [] : [[key, complaint]],
  );
  return [...missing.map((key): Problem => [key, `is missing: ADAPTER=${name} needs it.`]), ...wrong];
}

/** Adapters never put a value into what they say of it. */
async function complaintOf(made: Promise<Adapter>): Promise<string | null> {
  try {
    const adapter = await made;
    await adapter.dispose?.();
    return null;
  } catch (error) {
    if (error instanceof HandoffKitError) return error.message.replace(THEIR_WORDS, '');
    throw error;
  }
}
