import { readFileSync } from 'node:fs';
import { closestName, HandoffKitError } from '../../internal/index.js';
import type { SettingInfo, SettingTexts } from './setting.js';
import { BOT_SETTINGS, type ProgramTexts, SETTINGS } from './settings-schema.js';

/** One problem with the settings. It never holds the value, which may be a secret. */
export interface SettingProblem {
  /** The setting's name in the environment, or the source that has the problem. */
  readonly setting: string;
  /** The source of the value; `null` when there is no value. */
  readonly from: string | null;
  /** The problem and the remedy. */
  readonly message: string;
}

/** The settings do not let the program start. The message lists every problem at once. */
export class SettingsError extends HandoffKitError {
  /** Every problem, in the order of the message. */
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super('SETTINGS_INVALID', messageOf(problems));
    this.problems = problems;
  }
}

function messageOf(problems: readonly SettingProblem[]): string {
  const width = Math.max(...problems.map(({ setting }) => setting.length));
  const lines = problems.map(
    ({ setting, from, message }) => `  ${setting.padEnd(width)}  ${message}${from ? ` (from ${from})` : ''}`,
  );
  const count = problems.length === 1 ? 'one thing is' : `${problems.length} things are`;
  return [`cannot start: ${count} wrong with the settings.`, '', ...lines].join('\n');
}

/** The sources of settings. Flags override the environment, and the environment overrides the file. */
export interface SettingSources {
  /** The flags of the command line, by the keys of their settings. */
  readonly flags?: SettingTexts;
  /** The environment. */
  readonly env: SettingTexts;
  /** The variables of the environment that came from the file `.env`. */
  readonly fromEnvFile?: ReadonlySet<string>;
  /** The path of a JSON file. */
  readonly configFile?: string | undefined;
  /** Development mode: generates missing credentials and listens on 127.0.0.1 only. */
  readonly dev?: boolean | undefined;
  /** Generated credentials are the same for the same seed. Default: new ones each time. */
  readonly devSeed?: string | undefined;
}

/** The settings of all sources, before validation. */
export interface GatheredSettings {
  readonly texts: ProgramTexts;
  /** The source of each text. */
  readonly sources: ReadonlyMap<string, string>;
  readonly file: ConfigFile;
}

/** The content of a config file. */
export interface ConfigFile {
  readonly texts: ProgramTexts;
  /** The settings of each bot; `null` if the file names no bots. */
  readonly bots: Readonly<Record<string, ProgramTexts>> | null;
  readonly problems: readonly SettingProblem[];
  /** `false` when the file is not JSON or cannot be opened. Missing settings are not reported then. */
  readonly readable: boolean;
}

const NO_FILE: ConfigFile = { texts: {}, bots: null, problems: [], readable: true };

/** Takes each setting from the first source that has it. */
export function gatherSettings({
  flags = {},
  env: environment,
  fromEnvFile,
  configFile,
}: SettingSources): GatheredSettings {
  const file = configFile === undefined ? NO_FILE : readConfigFile(configFile);
  const inFile: SettingTexts = file.texts;
  const texts: Record<string, string> = {};
  const sources = new Map<string, string>();
  for (const { env, key, flag } of SETTINGS) {
    const given = [
      { text: flags[key], from: flag.split(' ')[0] ?? flag },
      { text: environment[env], from: fromEnvFile?.has(env) ? '.env' : 'the environment' },
      { text: inFile[env], from: configFile ?? '' },
    ].find(({ text }) => text !== undefined);
    if (given?.text === undefined) continue;
    texts[env] = given.text;
    sources.set(env, given.from);
  }
  return { texts, sources, file };
}

/** Reads a JSON file whose keys are settings, each written as `PORT` or as `port`. */
export function readConfigFile(path: string): ConfigFile {
  const unreadable = (message: string): ConfigFile => ({
    ...NO_FILE,
    problems: [{ setting: '--config', from: path, message }],
    readable: false,
  });
  let text = '';
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return unreadable('names a file that cannot be read. Check the path and the permissions of the file.');
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return unreadable(`is not JSON${lineOf(error, text)}.`);
  }
  if (!isObject(content)) return unreadable('must be a JSON object such as { "port": 3000 }.');
  const { bots, ...others } = content as { readonly bots?: unknown };
  const common = textsIn(others, path, SETTINGS);
  if (bots === undefined) return { ...NO_FILE, ...common };
  const named = botsIn(bots, path);
  return { ...common, bots: named.bots, problems: [...common.problems, ...named.problems], readable: true };
}

/** Only the position is taken from the parser's error: its message quotes the file, which may hold secrets. */
function lineOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  if (position === undefined) return '';
  return `: look at line ${text.slice(0, Number(position)).split('\n').length}`;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings of each bot: `{ "sales": { "webhookUsername": … }, "support": … }`. */
function botsIn(named: unknown, path: string): Pick<ConfigFile, 'bots' | 'problems'> {
  if (!isObject(named) || !Object.values(named).every(isObject)) {
    const message = 'must name each bot and its settings: { "sales": { "webhookUsername": … }, … }.';
    return { bots: {}, problems: [{ setting: 'bots', from: path, message }] };
  }
  const read = Object.entries(named).map(
    ([name, settings]) => [name, textsIn(settings as object, path, BOT_SETTINGS, `bots.${name}.`)] as const,
  );
  return {
    bots: Object.fromEntries(read.map(([name, { texts }]) => [name, texts])),
    problems: read.flatMap(([, { problems }]) => problems),
  };
}

function textsIn(content: object, path: string, settings: readonly SettingInfo[], prefix = '') {
  const texts: Record<string, string> = {};
  const problems: SettingProblem[] = [];
  for (const [name, value] of Object.entries(content)) {
    const env = settings.find((each) => each.key === name || each.env === name)?.env;
    const refuse = (message: string): unknown =>
      problems.push({ setting: `${prefix}${env ?? name}`, from: path, message });
    if (env === undefined) refuse(`is not a setting.${suggestionFor(name, settings)}`);
    else if (env in texts) refuse('is there twice, in two spellings. Keep one.');
    else if (isObject(value) || Array.isArray(value) || value === null)
      refuse('must be a text, a number, true or false.');
    else texts[env] = String(value);
  }
  return { texts, problems };
}

function suggestionFor(name: string, settings: readonly SettingInfo[]): string {
  const keys = settings.map(({ key }) => key);
  const closest = closestName(name, keys);
  return closest === null ? ` The settings are ${keys.join(', ')}.` : ` Did you mean ${closest}?`;
}
