import { readFileSync } from 'node:fs';
import { nearest } from './nearest.js';
import type { SettingProblem } from './settings-error.js';
import type { SettingKey } from './settings-schema.js';
import { SETTING_KEYS, SETTINGS } from './settings-table.js';

/** What a config file says. */
export interface ConfigFile {
  /** The settings in it, as text. */
  readonly values: Readonly<Partial<Record<SettingKey, string>>>;
  /** What is wrong with it. */
  readonly problems: readonly SettingProblem[];
  /** Whether it could be read at all; if not, nobody knows which settings are missing. */
  readonly readable: boolean;
}

/** Reads a JSON file whose keys are settings, each written as `PORT` or as `port`. */
export function readConfigFile(path: string): ConfigFile {
  const unreadable = (message: string): ConfigFile => ({
    values: {},
    problems: [{ setting: '--config', from: path, message }],
    readable: false,
  });
  const text = contentOf(path);
  if (text === null) {
    return unreadable('names a file that cannot be read. Check the path and who may read it.');
  }
  const content = parse(text);
  if (content instanceof SyntaxError) return unreadable(`is not JSON${placeOf(content, text)}.`);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return unreadable('must be a JSON object such as { "port": 3000 }.');
  }
  return { ...settingsIn(content, path), readable: true };
}

function settingsIn(content: object, path: string): Pick<ConfigFile, 'values' | 'problems'> {
  const values: Partial<Record<SettingKey, string>> = {};
  const problems: SettingProblem[] = [];
  for (const [name, value] of Object.entries(content)) {
    const key = SETTING_KEYS.find((known) => known === name || SETTINGS[known].env === name);
    const problem = problemOf(name, value, key, values);
    if (problem) problems.push({ setting: key ? SETTINGS[key].env : name, from: path, message: problem });
    else if (key) values[key] = String(value);
  }
  return { values, problems };
}

function problemOf(
  name: string,
  value: unknown,
  key: SettingKey | undefined,
  values: Partial<Record<SettingKey, string>>,
): string | null {
  if (!key) return `is no setting.${suggestion(name)}`;
  if (key in values) return 'is there twice, in two spellings. Keep one.';
  const plain = ['string', 'number', 'boolean'].includes(typeof value);
  return plain ? null : 'must be a text, a number, true or false.';
}

function suggestion(name: string): string {
  const meant = nearest(name, SETTING_KEYS);
  return meant ? ` Did you mean ${meant}?` : ` The settings are ${SETTING_KEYS.join(', ')}.`;
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** Only the place is taken from the parser's error: its message quotes the file, and there are secrets in it. */
function placeOf(error: SyntaxError, text: string): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position === undefined) return '';
  return `: look at line ${text.slice(0, Number(position)).split('\n').length}`;
}
