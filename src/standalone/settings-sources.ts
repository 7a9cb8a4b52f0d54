import { readFileSync } from 'node:fs';
import type { SettingProblem } from './settings-error.js';
import type { SettingKey } from './settings-schema.js';
import { BOT_KEYS, type BotKey, SETTING_KEYS, SETTINGS } from './settings-table.js';

/** The sources of settings. Flags override the environment, and the environment overrides the file. */
export interface SettingSources {
  /** The flags of the command line. */
  readonly flags?: Readonly<Partial<Record<SettingKey, string>>>;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables of the environment that came from the file `.env`. */
  readonly fromEnvFile?: ReadonlySet<string>;
  /** The path of a JSON file. */
  readonly configFile?: string | undefined;
  /** Development mode: generates missing credentials and listens on 127.0.0.1 only. */
  readonly dev?: boolean | undefined;
  /** Generated credentials are the same for the same seed. Default: new ones each time. */
  readonly devSeed?: string | undefined;
}

/** A value with its source. */
interface FoundSetting {
  readonly value: string;
  readonly from: string;
}

/** The values of all sources, before validation. */
export type FoundSettings = Readonly<Partial<Record<SettingKey, FoundSetting>>>;

/** The result of {@link gatherSettings}. */
export interface GatheredSettings {
  readonly found: FoundSettings;
  readonly file: ConfigFile;
}

/** The content of a config file. */
export interface ConfigFile {
  /** The settings in it, as text. */
  readonly values: Readonly<Partial<Record<SettingKey, string>>>;
  /** The settings of each bot; `null` if the file names no bots. */
  readonly bots: Readonly<Record<string, Readonly<Partial<Record<BotKey, string>>>>> | null;
  readonly problems: readonly SettingProblem[];
  /** `false` when the file is not JSON or cannot be opened. Missing settings are not reported then. */
  readonly readable: boolean;
}

const NO_FILE: ConfigFile = { values: {}, bots: null, problems: [], readable: true };

/** Takes each setting from the first source that has it. */
export function gatherSettings({
  flags = {},
  env,
  fromEnvFile,
  configFile,
}: SettingSources): GatheredSettings {
  const file = configFile === undefined ? NO_FILE : readConfigFile(configFile);
  const found: Partial<Record<SettingKey, FoundSetting>> = {};
  for (const key of SETTING_KEYS) {
    const { env: name, flag } = SETTINGS[key];
    const given = [
      { value: flags[key], from: flag.split(' ')[0] ?? flag },
      { value: env[name], from: fromEnvFile?.has(name) ? '.env' : 'the environment' },
      { value: file.values[key], from: configFile ?? '' },
    ].find(({ value }) => value !== undefined);
    if (given?.value !== undefined) found[key] = { value: given.value, from: given.from };
  }
  return { found, file };
}

/** Drops the sources and keeps the values. */
export function valuesOf(found: FoundSettings): Partial<Record<SettingKey, string>> {
  return Object.fromEntries(Object.entries(found).map(([key, { value }]) => [key, value]));
}

/** Reads a JSON file whose keys are settings, each written as `PORT` or as `port`. */
export function readConfigFile(path: string): ConfigFile {
  const unreadable = (message: string): ConfigFile => ({
    values: {},
    bots: null,
    problems: [{ setting: '--config', from: path, message }],
    readable: false,
  });
  const text = textOf(path);
  if (text === null) {
    return unreadable('names a file that cannot be read. Check the path and the permissions of the file.');
  }
  const content = parseJson(text);
  if (content instanceof SyntaxError) return unreadable(`is not JSON${lineOf(content, text)}.`);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return unreadable('must be a JSON object such as { "port": 3000 }.');
  }
  return { ...settingsIn(content, path), readable: true };
}

function settingsIn(content: object, path: string): Pick<ConfigFile, 'values' | 'bots' | 'problems'> {
  const { bots: named, ...others } = content as { readonly bots?: unknown };
  const plain = plainSettingsIn(others, path, SETTING_KEYS);
  const { bots, problems } = named === undefined ? NO_FILE : botsIn(named, path);
  return { values: plain.values, bots, problems: [...plain.problems, ...problems] };
}

/** The settings of each bot: `{ "sales": { "webhookUsername": … }, "support": … }`. */
function botsIn(named: unknown, path: string): Pick<ConfigFile, 'bots' | 'problems'> {
  if (!isObject(named) || !Object.values(named).every(isObject)) {
    const message = 'must name each bot and its settings: { "sales": { "webhookUsername": … }, … }.';
    return { bots: {}, problems: [{ setting: 'bots', from: path, message }] };
  }
  const read = Object.entries(named).map(
    ([name, settings]) =>
      [name, plainSettingsIn(settings as object, path, BOT_KEYS, `bots.${name}.`)] as const,
  );
  return {
    bots: Object.fromEntries(read.map(([name, { values }]) => [name, values])),
    problems: read.flatMap(([, { problems }]) => problems),
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function plainSettingsIn<Key extends SettingKey>(
  content: object,
  path: string,
  keys: readonly Key[],
  prefix = '',
): { readonly values: Partial<Record<Key, string>>; readonly problems: SettingProblem[] } {
  const values: Partial<Record<Key, string>> = {};
  const problems: SettingProblem[] = [];
  for (const [name, value] of Object.entries(content)) {
    const key = keys.find((known) => known === name || SETTINGS[known].env === name);
    const message = problemOf(name, value, key, values, keys);
    const setting = `${prefix}${key ? SETTINGS[key].env : name}`;
    if (message) problems.push({ setting, from: path, message });
    else if (key) values[key] = String(value);
  }
  return { values, problems };
}

function problemOf(
  name: string,
  value: unknown,
  key: SettingKey | undefined,
  values: Partial<Record<SettingKey, string>>,
  keys: readonly SettingKey[],
): string | null {
  if (!key) return `is no setting.${suggestionFor(name, keys)}`;
  if (key in values) return 'is there twice, in two spellings. Keep one.';
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? null : 'must be a text, a number, true or false.';
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** Only the position is taken from the parser's error: its message quotes the file, which may hold secrets. */
function lineOf(error: SyntaxError, text: string): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position === undefined) return '';
  return `: look at line ${text.slice(0, Number(position)).split('\n').length}`;
}

/** With more edits than this, a name is a different name and not a misspelling. */
const MAX_EDITS = 3;

function suggestionFor(name: string, keys: readonly SettingKey[]): string {
  const plain = withoutPunctuation(name);
  const [best] = keys
    .map((key) => ({
      key,
      edits: editDistance(plain, withoutPunctuation(key)),
    }))
    .sort((one, other) => one.edits - other.edits);
  if (best && best.edits <= Math.min(MAX_EDITS, plain.length / 2)) return ` Did you mean ${best.key}?`;
  return ` The settings are ${keys.join(', ')}.`;
}

/** MOUNT_PATH, mount-path and mountPath are the same name. */
const withoutPunctuation = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** The Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, counterpart] of Array.from(other).entries()) {
      const substitution = (row[column] ?? 0) + (letter === counterpart ? 0 : 1);
      next.push(Math.min(substitution, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
