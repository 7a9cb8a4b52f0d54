import { createHash, randomBytes } from 'node:crypto';
import { HandoffKitError } from '../internal/index.js';
import { bearer, pathToken } from '../receiver/index.js';
import { adapterIssues, type SettingIssue } from './adapter-settings.js';
import { type BotSettings, botsProblem, singleBotSettings } from './bot-settings.js';
import { COMBINED_HANDOFF_AUTH, splitHandoffAuth } from './handoff-auth.js';
import { type SettingProblem, SettingsError } from './settings-error.js';
import { type SettingKey, type Settings, settingsSchema } from './settings-schema.js';
import {
  type ConfigFile,
  type FoundSettings,
  gatherSettings,
  type SettingSources,
  valuesOf,
} from './settings-sources.js';
import { BOT_KEYS, type BotKey, SETTING_KEYS, SETTINGS } from './settings-table.js';

/** Settings with which the program can start. */
export interface ReadSettings {
  readonly settings: Settings;
  /** The settings of each bot: those above where there is one, which is named `default`. */
  readonly bots: BotSettings;
  /** The credentials that development mode generated. */
  readonly generated: readonly GeneratedKey[];
  /** Whether DATABASE_URL was set. */
  readonly hasDatabaseUrl: boolean;
  /** Names and forms of settings that have better ones. */
  readonly hints: readonly string[];
}

type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>;

/** Reads and validates all settings. Rejects with a {@link SettingsError} that lists every problem. */
export async function readSettings(sources: SettingSources): Promise<ReadSettings> {
  const { found, file } = gatherSettings(sources);
  if (file.bots) return readSeveralBots(sources, found, file, file.bots);
  const dev = sources.dev
    ? devSettings((key) => key in found, sources.devSeed)
    : { values: {}, generated: [] };
  const { data, problems, hints } = await validate({ ...dev.values, ...valuesOf(found) }, found);
  const all = [
    ...file.problems,
    ...problems.filter(({ from, setting }) => from !== null || !mayBeInFile(file, setting)),
  ];
  if (all.length > 0 || !data) throw new SettingsError(all);
  const hasDatabaseUrl = 'databaseUrl' in found;
  return {
    settings: data,
    bots: singleBotSettings(data),
    generated: dev.generated,
    hints,
    hasDatabaseUrl,
  };
}

const isBotKey = (key: SettingKey): key is BotKey => BOT_KEYS.some((known) => known === key);

/** A bot without a base URL of its own uses the common one: bots are often on one platform. */
const SHARED_BOT_KEY: BotKey = 'platformBaseUrl';

/** Each bot is validated as a program of its own, with the settings that all share. */
async function readSeveralBots(
  { dev, configFile = '' }: SettingSources,
  found: FoundSettings,
  file: ConfigFile,
  named: NonNullable<ConfigFile['bots']>,
): Promise<ReadSettings> {
  const misplaced = BOT_KEYS.filter((key) => found[key] && key !== SHARED_BOT_KEY).map(
    (key): SettingProblem => ({
      setting: SETTINGS[key].env,
      from: found[key]?.from ?? null,
      message: 'belongs to one bot, and the config file names several. Move it to that bot, or remove it.',
    }),
  );
  const common = { ...(dev && devSettings(() => true).values), ...valuesOf(found) };
  for (const key of BOT_KEYS) if (key !== SHARED_BOT_KEY) delete common[key];
  const bots = new Map<string, Settings>();
  const problems = new Map<string, SettingProblem>();
  const hints = new Set<string>();
  for (const [name, own] of Object.entries(named)) {
    const {
      data,
      problems: ofBot,
      hints: hintsOfBot,
    } = await validate({ ...common, ...own }, found, (key) =>
      isBotKey(key) ? { prefix: `bots.${name}.`, from: configFile } : null,
    );
    if (data) bots.set(name, data);
    for (const hint of hintsOfBot) hints.add(hint);
    // Problems of settings that all share are the same for each bot.
    for (const problem of ofBot) problems.set(problem.setting, problem);
  }
  const all = [...file.problems, ...misplaced, ...problems.values()];
  const together = all.length === 0 ? botsProblem(bots, configFile) : null;
  const [settings] = bots.values();
  if (all.length > 0 || together || !settings) throw new SettingsError(together ? [together] : all);
  return { settings, bots, generated: [], hints: [...hints], hasDatabaseUrl: 'databaseUrl' in found };
}

/** Validates settings. `placeOf` tells the place of a setting of one of several bots. */
async function validate(
  given: SettingTexts,
  found: FoundSettings,
  placeOf: (key: SettingKey) => { readonly prefix: string; readonly from: string } | null = () => null,
) {
  const problem = (key: SettingKey, message: string): SettingProblem => {
    const place = placeOf(key);
    return {
      setting: `${place?.prefix ?? ''}${SETTINGS[key].env}`,
      from: place?.from ?? found[key]?.from ?? null,
      message,
    };
  };
  const { values, hints } = withHandoffAuth(given);
  const empty = SETTING_KEYS.filter((key) => values[key]?.trim() === '');
  const result = settingsSchema.safeParse(values);
  const messages = new Map<SettingKey, string>();
  for (const { path, message } of result.error?.issues ?? []) {
    const key = SETTING_KEYS.find((known) => known === path[0]);
    if (key) messages.set(key, message);
  }
  // An empty secret is an error and not a missing secret: the receiver would accept other credentials.
  for (const key of empty) messages.set(key, 'is empty. Give it a value, or remove it.');
  const combined = await combinationIssues(values);
  const problems = [...messages, ...combined.filter(([key]) => !empty.includes(key))].map(([key, message]) =>
    problem(key, message),
  );
  return { data: result.data, problems, hints };
}

/** HANDOFF_AUTH from a token alone, and from its earlier form, which has the token in it. */
function withHandoffAuth(values: SettingTexts): { readonly values: SettingTexts; readonly hints: string[] } {
  const { handoffAuth, handoffToken } = values;
  if (handoffAuth === undefined) {
    return { values: { ...values, ...(handoffToken !== undefined && { handoffAuth: 'path' }) }, hints: [] };
  }
  const combined = splitHandoffAuth(handoffAuth);
  // Two different tokens: the text stays, and is refused.
  if (!combined || (handoffToken ?? combined.token) !== combined.token) return { values, hints: [] };
  const { kind, token } = combined;
  return { values: { ...values, handoffAuth: kind, handoffToken: token }, hints: [COMBINED_HANDOFF_AUTH] };
}

/** A missing setting is not reported when the file may hold it in a form that cannot be read. */
const mayBeInFile = ({ readable, problems }: ConfigFile, name: string): boolean =>
  !readable || problems.some(({ setting }) => setting === name);

/** Problems of settings with each other; each may be right by itself. */
async function combinationIssues(values: SettingTexts): Promise<SettingIssue[]> {
  return [
    ...usernameIssues(values),
    ...handoffTokenIssues(values),
    ...platformIssues(values),
    ...(await adapterIssues(values)),
  ];
}

function handoffTokenIssues({ handoffAuth, handoffToken }: SettingTexts): SettingIssue[] {
  const check = handoffAuth === 'path' ? pathToken : handoffAuth === 'bearer' ? bearer : null;
  if (!check) {
    const isUnused = handoffToken !== undefined && (handoffAuth === 'webhook' || handoffAuth === 'none');
    return isUnused
      ? [['handoffToken', `has no effect with HANDOFF_AUTH=${handoffAuth}. Remove one of them.`]]
      : [];
  }
  if (handoffToken === undefined) {
    return [
      ['handoffToken', `is missing: HANDOFF_AUTH=${handoffAuth} needs it. Make one: openssl rand -hex 24`],
    ];
  }
  try {
    check(handoffToken);
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    return [['handoffToken', error.message.replace(/^the (path )?token /, '')]];
  }
  return /\s/.test(handoffToken)
    ? [['handoffToken', 'has white space in it, which no header can carry.']]
    : [];
}

function usernameIssues({ webhookUsername = '', webhookSecret }: SettingTexts): SettingIssue[] {
  if (webhookSecret !== undefined && webhookUsername.includes(':')) {
    return [['webhookUsername', 'has a colon, which cannot be sent together with a secret. Choose another.']];
  }
  if (webhookSecret === undefined && /\S\s+\S/.test(webhookUsername)) {
    return [['webhookUsername', 'has a space in it, which cannot be sent without a secret. Choose another.']];
  }
  return [];
}

const NEEDS_BOTH = 'is missing: replies need both PLATFORM_BASE_URL and PLATFORM_API_KEY.';
const NEEDS_PLATFORM =
  'needs PLATFORM_BASE_URL and PLATFORM_API_KEY: without them nothing can be sent to users. Set them, or remove it.';

function platformIssues(values: SettingTexts): SettingIssue[] {
  const { platformBaseUrl, platformApiKey } = values;
  if (platformBaseUrl !== undefined && platformApiKey !== undefined) return [];
  if (platformBaseUrl !== undefined) return [['platformApiKey', NEEDS_BOTH]];
  if (platformApiKey !== undefined) return [['platformBaseUrl', NEEDS_BOTH]];
  const senders = ['autoReply', 'greeting'] as const;
  return senders.filter((key) => values[key] !== undefined).map((key): SettingIssue => [key, NEEDS_PLATFORM]);
}

const CREDENTIALS = [
  'webhookUsername',
  'webhookSecret',
  'handoffToken',
] as const satisfies readonly SettingKey[];

/** A credential that development mode generates where it is missing. */
export type GeneratedKey = (typeof CREDENTIALS)[number];

/**
 * The defaults of development mode: generated credentials, a local address, a quiet log. A username without a
 * secret is a complete choice (Bearer), so a secret is generated only together with the username.
 */
function devSettings(
  isSet: (key: SettingKey) => boolean,
  seed: string = randomBytes(16).toString('hex'),
): {
  readonly values: SettingTexts;
  readonly generated: readonly GeneratedKey[];
} {
  const hex = (name: GeneratedKey, length: number): string =>
    createHash('sha256').update(`${seed}:${name}`).digest('hex').slice(0, length);
  const credentials: SettingTexts = {
    ...(!isSet('webhookUsername') && { webhookUsername: `dev-${hex('webhookUsername', 6)}` }),
    ...(!isSet('webhookUsername') && !isSet('webhookSecret') && { webhookSecret: hex('webhookSecret', 32) }),
    ...(!isSet('handoffAuth') && !isSet('handoffToken') && { handoffToken: hex('handoffToken', 32) }),
  };
  return {
    values: { host: '127.0.0.1', logLevel: 'warn', ...credentials },
    generated: CREDENTIALS.filter((key) => key in credentials),
  };
}
