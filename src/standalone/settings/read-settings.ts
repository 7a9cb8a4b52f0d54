import { createHash, randomBytes } from 'node:crypto';
import type { Adapter } from '../../bridge/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { ADAPTER_NAMES, ADAPTERS, type AdapterName } from './adapter-settings.js';
import { type BotSettings, botsProblem, singleBotSettings } from './bot-settings.js';
import { parseTexts, type SettingIssue, type SettingTexts, settingsOf } from './setting.js';
import {
  BOT_SETTINGS,
  type BotAdapters,
  chooseAdapter,
  type ProgramTexts,
  type Settings,
  settingsSchema,
} from './settings-schema.js';
import {
  type ConfigFile,
  type GatheredSettings,
  gatherSettings,
  type SettingProblem,
  type SettingSources,
  SettingsError,
} from './settings-sources.js';

/** Settings with which the program can start. */
export interface ReadSettings {
  readonly settings: Settings;
  /** The settings of each bot: those above where there is one, which is named `default`. */
  readonly bots: BotSettings;
  /** The credentials that development mode generated, by their settings. */
  readonly generated: ProgramTexts;
  /** Whether DATABASE_URL was set. */
  readonly hasDatabaseUrl: boolean;
  /** The settings whose values are those of the file `.env`. */
  readonly inEnvFile: ReadonlySet<string>;
}

/** Reads and validates all settings. Rejects with a {@link SettingsError} that lists every problem. */
export async function readSettings(sources: SettingSources): Promise<ReadSettings> {
  const found = gatherSettings(sources);
  const gathered = { ...found, texts: withoutEmptySecret(found.texts) };
  const { texts, file } = gathered;
  if (file.bots) return readSeveralBots(sources, gathered, file.bots);
  const generated = sources.dev ? generatedCredentials(texts, sources.devSeed) : {};
  const { settings, issues } = await validate({ ...(sources.dev && DEV_SETTINGS), ...generated, ...texts });
  const problems = issues
    .map((issue) => problemOf(gathered, issue))
    .filter(({ from, setting }) => from !== null || !mayBeInFile(file, setting));
  const all = [...file.problems, ...problems];
  if (all.length > 0 || !settings) throw new SettingsError(all);
  return { settings, bots: singleBotSettings(settings), generated, ...originOf(gathered) };
}

const originOf = ({ texts, sources }: GatheredSettings) => ({
  hasDatabaseUrl: 'DATABASE_URL' in texts,
  inEnvFile: new Set([...sources].flatMap(([env, from]) => (from === '.env' ? env : []))),
});

/** A missing setting is not reported when the file may hold it in a form that cannot be read. */
const mayBeInFile = ({ readable, problems }: ConfigFile, name: string): boolean =>
  !readable || problems.some(({ setting }) => setting === name);

const problemOf = ({ sources }: GatheredSettings, [setting, message]: SettingIssue): SettingProblem => ({
  setting,
  from: sources.get(setting) ?? null,
  message,
});

const MISPLACED = 'belongs to one bot, and the config file names several. Move it to that bot, or remove it.';

/** A bot without a base URL of its own uses the common one: bots are often on one platform. */
const SHARED_BOT_SETTING = 'PLATFORM_BASE_URL';

/** Each bot is validated as a program of its own, with the settings that all share. */
async function readSeveralBots(
  { dev, configFile = '' }: SettingSources,
  gathered: GatheredSettings,
  named: NonNullable<ConfigFile['bots']>,
): Promise<ReadSettings> {
  const { texts, file } = gathered;
  const ofBot = new Set(BOT_SETTINGS.map(({ env }) => env));
  const isShared = (env: string): boolean => !ofBot.has(env) || env === SHARED_BOT_SETTING;
  const misplaced = Object.keys(texts).filter((env) => !isShared(env));
  const common = Object.fromEntries(Object.entries(texts).filter(([env]) => isShared(env)));
  const bots = new Map<string, Settings>();
  const problems = new Map<string, SettingProblem>();
  for (const [name, own] of Object.entries(named)) {
    const { settings, issues } = await validate({
      ...(dev && DEV_SETTINGS),
      ...common,
      ...withoutEmptySecret(own),
    });
    if (settings) bots.set(name, settings);
    // Problems of settings that all share are the same for each bot.
    for (const [env, message] of issues) {
      const problem = ofBot.has(env)
        ? { setting: `bots.${name}.${env}`, from: configFile, message }
        : problemOf(gathered, [env, message]);
      problems.set(problem.setting, problem);
    }
  }
  const all = [
    ...file.problems,
    ...misplaced.map((env) => problemOf(gathered, [env, MISPLACED])),
    ...problems.values(),
  ];
  const together = all.length === 0 ? botsProblem(bots, configFile) : null;
  const [settings] = bots.values();
  if (all.length > 0 || together || !settings) throw new SettingsError(together ? [together] : all);
  return { settings, bots, generated: {}, ...originOf(gathered) };
}

/** Validates the texts of all settings, each for itself and with each other. */
async function validate(
  given: ProgramTexts,
): Promise<{ readonly settings: Settings | undefined; readonly issues: readonly SettingIssue[] }> {
  const texts = { ...(given.HANDOFF_TOKEN !== undefined && { HANDOFF_AUTH: 'path' }), ...given };
  const { data, issues } = parseTexts(settingsSchema, texts);
  const all = withEmpty(Object.keys(texts), texts, [
    ...issues,
    ...usernameIssues(texts),
    ...handoffTokenIssues(texts),
    ...platformIssues(texts),
    ...(await agentIssues(texts)),
    ...openIdIssues(texts),
    ...assistIssues(texts),
    ...escalationIssues(texts),
  ]);
  const helpdesks = namedAdapters(texts).names.length > 0 ? { helpdesks: texts } : {};
  return { settings: data && { ...data, ...helpdesks }, issues: all };
}

/** A webhook may have no secret, and Compose passes an empty variable for one that is not set. */
function withoutEmptySecret({ WEBHOOK_SECRET, ...others }: ProgramTexts): ProgramTexts {
  return WEBHOOK_SECRET ? { ...others, WEBHOOK_SECRET } : others;
}

/** Any other empty setting is an error: a default in its place might be what nobody meant, such as another database. */
function withEmpty(
  names: readonly string[],
  texts: SettingTexts,
  issues: readonly SettingIssue[],
): readonly SettingIssue[] {
  const empty = names.filter((env) => texts[env]?.trim() === '');
  return [
    ...empty.map((env): SettingIssue => [env, 'is empty. Give it a value, or remove it.']),
    ...issues.filter(([env]) => !empty.includes(env)),
  ];
}

function usernameIssues({ WEBHOOK_USERNAME = '', WEBHOOK_SECRET }: ProgramTexts): SettingIssue[] {
  if (WEBHOOK_SECRET !== undefined && WEBHOOK_USERNAME.includes(':')) {
    return [
      ['WEBHOOK_USERNAME', 'has a colon, which cannot be sent together with a secret. Choose another.'],
    ];
  }
  if (WEBHOOK_SECRET === undefined && /\S\s+\S/.test(WEBHOOK_USERNAME)) {
    return [
      ['WEBHOOK_USERNAME', 'has a space in it, which cannot be sent without a secret. Choose another.'],
    ];
  }
  return [];
}

function handoffTokenIssues({ HANDOFF_AUTH: kind, HANDOFF_TOKEN: token }: ProgramTexts): SettingIssue[] {
  const issue = (message: string): SettingIssue[] => [['HANDOFF_TOKEN', message]];
  if (kind === 'webhook' || kind === 'none') {
    return token === undefined ? [] : issue(`has no effect with HANDOFF_AUTH=${kind}. Remove one of them.`);
  }
  if (kind !== 'path' && kind !== 'bearer') return [];
  if (token === undefined) {
    return issue(`is missing: HANDOFF_AUTH=${kind} needs it. Make one: openssl rand -hex 24`);
  }
  if (kind === 'bearer') {
    return /\s/.test(token) ? issue('has white space in it, which no header can carry.') : [];
  }
  if (/^[\w.~-]{16,}$/.test(token)) return [];
  return issue(
    'needs at least 16 characters, all of them letters, digits, "-", "_", "." or "~". Make one: openssl rand -hex 24',
  );
}

const NEEDS_BOTH = 'is missing: replies need both PLATFORM_BASE_URL and PLATFORM_API_KEY.';
const NEEDS_PLATFORM =
  'needs PLATFORM_BASE_URL and PLATFORM_API_KEY: without them nothing can be sent to users. Set them, or remove it.';

function platformIssues(texts: ProgramTexts): SettingIssue[] {
  const { PLATFORM_BASE_URL, PLATFORM_API_KEY } = texts;
  if (PLATFORM_BASE_URL !== undefined && PLATFORM_API_KEY !== undefined) return [];
  if (PLATFORM_BASE_URL !== undefined) return [['PLATFORM_API_KEY', NEEDS_BOTH]];
  if (PLATFORM_API_KEY !== undefined) return [['PLATFORM_BASE_URL', NEEDS_BOTH]];
  return (['AUTO_REPLY', 'GREETING'] as const)
    .filter((env) => texts[env] !== undefined)
    .map((env): SettingIssue => [env, NEEDS_PLATFORM]);
}

/** The login with OpenID Connect needs all of its settings. */
function openIdIssues(texts: ProgramTexts): SettingIssue[] {
  const needed = [
    'DESK_OPENID_ISSUER',
    'DESK_OPENID_CLIENT_ID',
    'DESK_OPENID_CLIENT_SECRET',
    'DESK_OPENID_ROLES',
  ] as const;
  if ([...needed, 'DESK_OPENID_ROLE_CLAIM' as const].every((env) => texts[env] === undefined)) return [];
  return [...needed, 'PUBLIC_URL' as const]
    .filter((env) => texts[env] === undefined)
    .map((env): SettingIssue => [env, 'is missing: the login with OpenID Connect needs it.']);
}

/** The assistant of the desk needs an address and a model. */
function assistIssues(texts: ProgramTexts): SettingIssue[] {
  const needed = ['DESK_ASSIST_BASE_URL', 'DESK_ASSIST_MODEL'] as const;
  const others = ['DESK_ASSIST_API_KEY', 'DESK_ASSIST_REDACT'] as const;
  if ([...needed, ...others].every((env) => texts[env] === undefined)) return [];
  return needed
    .filter((env) => texts[env] === undefined)
    .map((env): SettingIssue => [env, 'is missing: the assistant of the desk needs it.']);
}

/** The escalation needs a time, a link, and someone to tell. */
function escalationIssues(texts: ProgramTexts): SettingIssue[] {
  const targets = [
    'DESK_ESCALATION_SLACK_URL',
    'DESK_ESCALATION_WEBHOOK_URL',
    'DESK_ESCALATION_EMAIL',
  ] as const;
  const ofEmail = [
    'DESK_ESCALATION_EMAIL',
    'DESK_ESCALATION_EMAIL_FROM',
    'DESK_ESCALATION_SMTP_URL',
  ] as const;
  const isSet = (env: keyof ProgramTexts): boolean => texts[env] !== undefined;
  if (![...targets, ...ofEmail, 'DESK_ESCALATION_MINUTES' as const].some(isSet)) return [];
  const needed = ['DESK_ESCALATION_MINUTES', 'PUBLIC_URL', ...(ofEmail.some(isSet) ? ofEmail : [])] as const;
  return [
    ...needed
      .filter((env) => !isSet(env))
      .map((env): SettingIssue => [env, 'is missing: telling the team of conversations that wait needs it.']),
    ...(targets.some(isSet) || ofEmail.some(isSet)
      ? []
      : [['DESK_ESCALATION_MINUTES', `needs one of ${targets.join(', ')}.`] satisfies SettingIssue]),
  ];
}

/** The adapters that ADAPTER and BOT_ADAPTERS name. */
function namedAdapters({ ADAPTER, BOT_ADAPTERS }: ProgramTexts) {
  const ofBots: BotAdapters = settingsSchema.shape.botAdapters.safeParse(BOT_ADAPTERS).data ?? new Map();
  const names = ADAPTER_NAMES.filter((name) => name === ADAPTER || ofBots.has(name));
  return { names, ofBots };
}

/** The settings that {@link chooseAdapter} reads. */
const adapterChoice = settingsSchema.pick({
  adapter: true,
  platformBaseUrl: true,
  autoReply: true,
  databaseUrl: true,
});

/** Problems of ADAPTER, of the adapters' own settings, and of hours and texts. */
async function agentIssues(texts: ProgramTexts): Promise<SettingIssue[]> {
  const { ADAPTER: adapter, PLATFORM_BASE_URL, PLATFORM_API_KEY } = texts;
  const { names, ofBots } = namedAdapters(texts);
  const issues = (await Promise.all(names.map((name) => adapterIssues(name, texts)))).flat();
  if (adapter === undefined) issues.push(...unnamedAdapterIssues(texts, names));
  if ([...ofBots.keys()].some((name) => name === adapter)) {
    issues.push(['BOT_ADAPTERS', `names ${adapter}, which is ADAPTER and takes all other bots anyway.`]);
  }
  const hasAgents = names.length > 0 || adapter === 'desk' || ofBots.size > 0;
  if (hasAgents && (PLATFORM_BASE_URL === undefined || PLATFORM_API_KEY === undefined)) {
    issues.push(['ADAPTER', 'needs PLATFORM_BASE_URL and PLATFORM_API_KEY: agents could not answer users.']);
  }
  const { data } = parseTexts(adapterChoice, texts);
  const isOff = ofBots.size === 0 && data !== undefined && chooseAdapter(data) === 'none';
  // Settings that only a bridge reads: the hours would not be kept.
  for (const env of isOff ? (['BUSINESS_HOURS', 'UNAVAILABLE', 'DELAYED', 'UNDELIVERED'] as const) : []) {
    if (texts[env] !== undefined) {
      issues.push([env, 'has no effect, since no agent answers: set ADAPTER, or remove it.']);
    }
  }
  if (texts.OUTSIDE_HOURS !== undefined && texts.BUSINESS_HOURS === undefined) {
    issues.push(['OUTSIDE_HOURS', 'needs BUSINESS_HOURS: without them agents answer at any time.']);
  }
  return issues;
}

/** Missing and invalid settings of one adapter; if there are none, what the adapter itself finds. */
async function adapterIssues(name: AdapterName, texts: ProgramTexts): Promise<readonly SettingIssue[]> {
  const isMain = texts.ADAPTER === name;
  const chosenBy = isMain ? `ADAPTER=${name}` : `BOT_ADAPTERS names ${name}, which`;
  const { issues } = parseTexts(ADAPTERS[name].schema, texts, `is missing: ${chosenBy} needs it.`);
  if (issues.length > 0) return issues;
  try {
    const adapter = await ADAPTERS[name].create(texts);
    await adapter.dispose?.();
    return [];
  } catch (error) {
    if (error instanceof HandoffKitError) return [[isMain ? 'ADAPTER' : 'BOT_ADAPTERS', error.message]];
    throw error;
  }
}

/** Without ADAPTER the desk would start, although another system is configured. */
const unnamedAdapterIssues = (texts: SettingTexts, named: readonly AdapterName[]): SettingIssue[] =>
  ADAPTER_NAMES.filter((name) => !named.includes(name)).flatMap((name) =>
    settingsOf(ADAPTERS[name].schema)
      .filter(({ env }) => texts[env] !== undefined)
      .map(({ env }): SettingIssue => [env, `is set, and ADAPTER is not. Set ADAPTER=${name}, or another.`]),
  );

/** What `handoff-kit init` writes where only the user knows the value, such as `xoxb-change-me`. */
const PLACEHOLDER = /^(xoxb-)?change-?me(-change-?me)*$/i;

/**
 * Creates the adapters that ADAPTER and BOT_ADAPTERS name, except for the desk, and ignores all other settings. Throws a
 * {@link SettingsError}.
 */
export async function createConfiguredAdapters(sources: SettingSources): Promise<readonly Adapter[]> {
  const gathered = gatherSettings(sources);
  const { texts, file } = gathered;
  const { names } = namedAdapters(texts);
  const own = settingsSchema.pick({ botAdapters: true });
  const issues = [
    ...parseTexts(own, texts).issues,
    ...notCheckable(texts.ADAPTER, names),
    ...(await Promise.all(names.map((name) => adapterIssues(name, texts)))).flat(),
  ];
  const relevant = names.flatMap((name) => settingsOf(ADAPTERS[name].schema)).map(({ env }) => env);
  const placeholders = relevant.filter((env) => PLACEHOLDER.test((texts as SettingTexts)[env] ?? ''));
  const allIssues = [
    ...placeholders.map((env): SettingIssue => [env, 'is a placeholder. Give it the value of your account.']),
    ...issues.filter(([env]) => !placeholders.includes(env)),
  ];
  const problems = withEmpty(relevant, texts, allIssues).map((issue) => problemOf(gathered, issue));
  const all = [...file.problems, ...(file.readable ? problems : [])];
  if (all.length > 0) throw new SettingsError(all);
  return Promise.all(names.map((name) => ADAPTERS[name].create(texts)));
}

/** ADAPTER must be checkable itself, or leave that to the systems of BOT_ADAPTERS. */
function notCheckable(given: string | undefined, names: readonly AdapterName[]): SettingIssue[] {
  const choice = `one of ${ADAPTER_NAMES.join(', ')}`;
  const isOff = given === undefined || given === 'desk' || given === 'none';
  if (isOff ? names.length > 0 : names.some((name) => name === given)) return [];
  if (given === 'desk') return [['ADAPTER', `is desk, which needs no check; it must be ${choice}.`]];
  if (given !== undefined) return [['ADAPTER', `names no adapter. It must be ${choice}.`]];
  const module = 'give the path of a module: handoff-kit adapter check ./dist/test/harness.js';
  return [['ADAPTER', `is missing. It must be ${choice}. For an adapter of your own, ${module}`]];
}

/** The defaults of development mode, besides credentials. */
const DEV_SETTINGS: ProgramTexts = { HOST: '127.0.0.1', LOG_LEVEL: 'warn' };

/**
 * Credentials for development, where they are missing. A username without a secret is a complete choice (Bearer), so a
 * secret is generated only together with the username.
 */
function generatedCredentials(
  given: ProgramTexts,
  seed: string = randomBytes(16).toString('hex'),
): ProgramTexts {
  const hex = (name: string, length: number): string =>
    createHash('sha256').update(`${seed}:${name}`).digest('hex').slice(0, length);
  const isNew = given.WEBHOOK_USERNAME === undefined;
  const needsToken = given.HANDOFF_AUTH === undefined && given.HANDOFF_TOKEN === undefined;
  return {
    ...(isNew && { WEBHOOK_USERNAME: `dev-${hex('username', 6)}` }),
    ...(isNew && given.WEBHOOK_SECRET === undefined && { WEBHOOK_SECRET: hex('secret', 32) }),
    ...(needsToken && { HANDOFF_TOKEN: hex('token', 32) }),
  };
}
