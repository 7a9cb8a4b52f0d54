import type { Adapter } from '../bridge/index.js';
import { HandoffKitError } from '../internal/index.js';
import {
  ADAPTER_CATALOG,
  ADAPTER_NAMES,
  type AdapterName,
  adapterSettings,
  parseBotAdapters,
  type SettingTexts,
} from './adapter-catalog.js';
import { type SettingProblem, SettingsError } from './settings-error.js';
import type { SettingKey } from './settings-schema.js';
import { gatherSettings, type SettingSources, valuesOf } from './settings-sources.js';
import { SETTINGS } from './settings-table.js';

/** A setting and what is wrong with it. */
export type SettingIssue = readonly [key: SettingKey, message: string];

/** Validates the settings of agents: ADAPTER, the adapter's own settings, hours and texts. */
export async function adapterIssues(values: SettingTexts<SettingKey>): Promise<SettingIssue[]> {
  const name = ADAPTER_NAMES.find((known) => known === values.adapter);
  const isDesk = values.adapter === 'desk';
  const ofBots = adaptersOfBots(values);
  const others = ADAPTER_NAMES.filter((known) => ofBots.includes(known) && known !== name);
  const otherIssues = await Promise.all(
    others.map((each) => ownSettingsIssues(each, values, `BOT_ADAPTERS names ${each}, which`)),
  );
  return [
    ...(values.adapter === undefined ? unnamedAdapterIssues(values, others) : []),
    ...(name ? await ownSettingsIssues(name, values) : []),
    ...otherIssues.flat(),
    ...(values.adapter !== undefined && ofBots.some((each) => each === values.adapter)
      ? [
          [
            'botAdapters',
            `names ${values.adapter}, which is ADAPTER and takes all other bots anyway.`,
          ] as const,
        ]
      : []),
    ...(name || isDesk || ofBots.length > 0 ? platformIssues(values) : []),
    ...withoutEffectIssues(values, ofBots.length > 0),
    ...openIdIssues(values),
  ];
}

/** The systems in BOT_ADAPTERS; none when it cannot be read, which is reported with the setting itself. */
function adaptersOfBots({ botAdapters }: SettingTexts<SettingKey>): readonly string[] {
  try {
    return botAdapters === undefined ? [] : [...parseBotAdapters(botAdapters).keys()];
  } catch {
    return [];
  }
}

/**
 * Creates the adapters that ADAPTER and BOT_ADAPTERS name, except for the desk, and ignores all other settings. Throws a
 * {@link SettingsError}.
 */
export async function createConfiguredAdapters(sources: SettingSources): Promise<readonly Adapter[]> {
  const { found, file } = gatherSettings(sources);
  const values = valuesOf(found);
  const ofBots = adaptersOfBots(values);
  const names = ADAPTER_NAMES.filter((known) => known === values.adapter || ofBots.includes(known));
  const issues = [
    ...botAdaptersIssues(values),
    ...(isCheckable(values.adapter, names) ? [] : [notCheckable(values.adapter)]),
    ...(await Promise.all(names.map((name) => checkableIssues(name, values)))).flat(),
  ];
  const problems = issues.map(
    ([key, message]): SettingProblem => ({
      setting: SETTINGS[key].env,
      from: found[key]?.from ?? null,
      message,
    }),
  );
  const all = [...file.problems, ...(file.readable ? problems : [])];
  if (all.length > 0) throw new SettingsError(all);
  return Promise.all(names.map((name) => ADAPTER_CATALOG[name].create(values)));
}

/** ADAPTER can be checked itself, or leaves that to the systems of BOT_ADAPTERS. */
const isCheckable = (adapter = 'none', names: readonly AdapterName[] = []): boolean =>
  ['desk', 'none'].includes(adapter) ? names.length > 0 : names.some((name) => name === adapter);

function botAdaptersIssues({ botAdapters }: SettingTexts<SettingKey>): SettingIssue[] {
  try {
    if (botAdapters !== undefined) parseBotAdapters(botAdapters);
    return [];
  } catch (error) {
    if (error instanceof HandoffKitError) return [['botAdapters', error.message]];
    throw error;
  }
}

async function checkableIssues(name: AdapterName, values: SettingTexts<SettingKey>): Promise<SettingIssue[]> {
  const empty: readonly SettingKey[] = adapterSettings(name).filter((key) => values[key]?.trim() === '');
  const chosenBy = values.adapter === name ? undefined : `BOT_ADAPTERS names ${name}, which`;
  const invalid = await ownSettingsIssues(name, values, chosenBy);
  return [
    ...empty.map((key): SettingIssue => [key, 'is empty. Give it a value, or remove it.']),
    ...invalid.filter(([key]) => !empty.includes(key)),
  ];
}

function notCheckable(given: string | undefined): SettingIssue {
  const choice = `one of ${ADAPTER_NAMES.join(', ')}`;
  if (given === 'desk') return ['adapter', `is desk, which needs no check; it must be ${choice}.`];
  if (given === undefined) return ['adapter', `is missing. It must be ${choice}.`];
  return ['adapter', `names no adapter. It must be ${choice}.`];
}

/** Missing and invalid settings of one adapter. Each is validated alone, so that all are reported at once. */
async function ownSettingsIssues(
  name: AdapterName,
  values: SettingTexts<SettingKey>,
  chosenBy = `ADAPTER=${name}`,
): Promise<SettingIssue[]> {
  const entry = ADAPTER_CATALOG[name];
  const missing = entry.required.filter((key) => values[key] === undefined);
  const given = adapterSettings(name).filter((key) => values[key] !== undefined);
  const invalid = await Promise.all(
    given.map(async (key): Promise<SettingIssue[]> => {
      const message = await rejectionOf(entry.create({ ...entry.samples, [key]: values[key] }));
      return message === null ? [] : [[key, message]];
    }),
  );
  const [message, ...others] = new Set(invalid.flat().map(([, text]) => text));
  // Not about a setting, such as a package that is not installed.
  const isAboutAll = given.length > 1 && others.length === 0 && invalid.every(({ length }) => length > 0);
  return [
    ...missing.map((key): SettingIssue => [key, `is missing: ${chosenBy} needs it.`]),
    ...(message !== undefined && isAboutAll ? [['adapter', message] satisfies SettingIssue] : invalid.flat()),
  ];
}

/** Adapters begin their messages with their own name and their own name of the option. */
const ADAPTER_PREFIX =
  /^[A-Za-z][\w -]*: (?:(?:[a-z]+(?:[A-Z][a-z]+)+|channel|address|team|agents|mailbox) )?/;

/** The message of a rejection; adapters never quote the value in it. */
async function rejectionOf(created: Promise<Adapter>): Promise<string | null> {
  try {
    const adapter = await created;
    await adapter.dispose?.();
    return null;
  } catch (error) {
    if (error instanceof HandoffKitError) return error.message.replace(ADAPTER_PREFIX, '');
    throw error;
  }
}

/** Without ADAPTER the desk would start, although another system is configured. */
function unnamedAdapterIssues(
  values: SettingTexts<SettingKey>,
  ofBots: readonly AdapterName[],
): SettingIssue[] {
  return ADAPTER_NAMES.filter((name) => !ofBots.includes(name)).flatMap((name) =>
    adapterSettings(name)
      .filter((key) => values[key] !== undefined)
      .map((key): SettingIssue => [key, `is set, and ADAPTER is not. Set ADAPTER=${name}, or another.`]),
  );
}

function platformIssues({ platformBaseUrl, platformApiKey }: SettingTexts<SettingKey>): SettingIssue[] {
  if (platformBaseUrl !== undefined && platformApiKey !== undefined) return [];
  return [['adapter', 'needs PLATFORM_BASE_URL and PLATFORM_API_KEY: agents could not answer users.']];
}

/** The login with OpenID Connect needs all of its settings. */
function openIdIssues(values: SettingTexts<SettingKey>): SettingIssue[] {
  const needed = [
    'deskOpenidIssuer',
    'deskOpenidClientId',
    'deskOpenidClientSecret',
    'deskOpenidRoles',
  ] as const;
  if ([...needed, 'deskOpenidRoleClaim' as const].every((key) => values[key] === undefined)) return [];
  return [...needed, 'publicUrl' as const]
    .filter((key) => values[key] === undefined)
    .map((key): SettingIssue => [key, 'is missing: the login with OpenID Connect needs it.']);
}

/** Settings that only a bridge reads are reported when there is no bridge: the hours would not be kept. */
function withoutEffectIssues(values: SettingTexts<SettingKey>, hasBotAdapters: boolean): SettingIssue[] {
  const { adapter, platformBaseUrl, businessHours, outsideHours, unavailable, delayed } = values;
  const issues: SettingIssue[] = [];
  const isUnset = adapter === 'none' || (adapter === undefined && platformBaseUrl === undefined);
  const isOff = isUnset && !hasBotAdapters;
  const message = 'has no effect, since no agent answers: set ADAPTER, or remove it.';
  if (isOff && businessHours !== undefined) issues.push(['businessHours', message]);
  if (isOff && unavailable !== undefined) issues.push(['unavailable', message]);
  if (isOff && delayed !== undefined) issues.push(['delayed', message]);
  if (outsideHours !== undefined && businessHours === undefined) {
    issues.push(['outsideHours', 'needs BUSINESS_HOURS: without them agents answer at any time.']);
  }
  return issues;
}
