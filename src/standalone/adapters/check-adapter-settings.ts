import type { SettingKey } from '../settings-schema.js';
import { adapterProblems, type Problem } from './adapter-problems.js';
import { ADAPTER_NAMES, type SettingTexts, settingsOf } from './catalog.js';

/** What stands between the settings and the adapter that they name. */
export async function checkAdapterSettings(values: SettingTexts<SettingKey>): Promise<Problem[]> {
  const name = ADAPTER_NAMES.find((each) => each === values.adapter);
  const isDesk = values.adapter === 'desk';
  return [
    ...(values.adapter === undefined ? forgotten(values) : []),
    ...(name ? await adapterProblems(name, values) : []),
    ...(name || isDesk ? noService(values) : []),
    ...withoutEffect(values),
  ];
}

function noService({ serviceBaseUrl, serviceApiKey }: SettingTexts<SettingKey>): Problem[] {
  if (serviceBaseUrl !== undefined && serviceApiKey !== undefined) return [];
  return [['adapter', 'needs SERVICE_BASE_URL and SERVICE_API_KEY: agents could not answer users.']];
}

/** Whoever sets up a system and does not name it would get the desk, and wonder. */
function forgotten(values: SettingTexts<SettingKey>): Problem[] {
  return ADAPTER_NAMES.flatMap((name) =>
    settingsOf(name)
      .filter((key) => values[key] !== undefined)
      .map((key): Problem => [key, `is set, and ADAPTER is not. Set ADAPTER=${name}, or another.`]),
  );
}

/** What only a bridge reads is a mistake where there is none: nobody would keep to the hours. */
function withoutEffect({
  adapter,
  serviceBaseUrl,
  businessHours,
  outsideHours,
  unavailable,
}: SettingTexts<SettingKey>): Problem[] {
  const problems: Problem[] = [];
  const isOff = adapter === 'none' || (adapter === undefined && serviceBaseUrl === undefined);
  const told = 'has no effect, since no human answers: say by ADAPTER where they do, or remove it.';
  if (isOff && businessHours !== undefined) problems.push(['businessHours', told]);
  if (isOff && unavailable !== undefined) problems.push(['unavailable', told]);
  if (outsideHours !== undefined && businessHours === undefined) {
    problems.push(['outsideHours', 'needs BUSINESS_HOURS: without them humans are always there.']);
  }
  return problems;
}
