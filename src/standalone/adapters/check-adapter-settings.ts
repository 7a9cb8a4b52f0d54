import { HandoffKitError } from '../../protocol/index.js';
import type { SettingKey } from '../settings-schema.js';
import { SETTINGS } from '../settings-table.js';
import { ADAPTER_CATALOG, ADAPTER_NAMES, type SettingTexts } from './catalog.js';

type Problem = [SettingKey, string];

/** What stands between the settings and the adapter that they name. */
export function checkAdapterSettings(values: SettingTexts<SettingKey>): Problem[] {
  const name = ADAPTER_NAMES.find((each) => each === values.adapter);
  return [
    ...unused(values),
    ...(values.adapter === 'desk' ? noService(values) : []),
    ...(name ? lacking(name, values) : []),
  ];
}

function lacking(name: (typeof ADAPTER_NAMES)[number], values: SettingTexts<SettingKey>): Problem[] {
  const { needs, make } = ADAPTER_CATALOG[name];
  const missing = needs.filter((key) => values[key] === undefined);
  const problems: Problem[] = [
    ...missing.map((key): Problem => [key, `is missing: ADAPTER=${name} needs it.`]),
    ...noService(values),
  ];
  if (missing.length > 0) return problems;
  try {
    void make(values).dispose?.();
    return problems;
  } catch (error) {
    if (error instanceof HandoffKitError)
      return [...problems, ['adapter', `cannot be set up: ${error.message}`]];
    throw error;
  }
}

function noService({ serviceBaseUrl, serviceApiKey }: SettingTexts<SettingKey>): Problem[] {
  if (serviceBaseUrl !== undefined && serviceApiKey !== undefined) return [];
  return [['adapter', 'needs SERVICE_BASE_URL and SERVICE_API_KEY: agents could not answer users.']];
}

/** A setting of an adapter that is not used is a mistake: most often ADAPTER was forgotten. */
function unused(values: SettingTexts<SettingKey>): Problem[] {
  return ADAPTER_NAMES.filter((name) => name !== values.adapter).flatMap((name) => {
    const { needs, takes } = ADAPTER_CATALOG[name];
    return [...needs, ...takes]
      .filter((key) => values[key] !== undefined)
      .map(
        (key): Problem => [
          key,
          `is set, but ADAPTER is not ${name}. Set it, or remove ${SETTINGS[key].env}.`,
        ],
      );
  });
}
