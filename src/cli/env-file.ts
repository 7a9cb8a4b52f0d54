import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { closestName } from '../internal/index.js';
import { UsageError } from './output.js';

/** The file in the working directory whose variables are added to the environment. */
export const ENV_FILE = '.env';

/** An assignment with its value, which may span lines within quotes, or a comment, or an empty line. */
const LINE =
  /[ \t]*(?:(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|[^\s"'`][^\n]*)?)?[ \t\r]*(?:#[^\n]*)?(?:\n|$)/y;

const added = new Set<string>();

/** The variables of the environment that came from the file. */
export const variablesOfEnvFile: ReadonlySet<string> = added;

/**
 * Adds the variables of the file to the environment, which wins over the file. A missing file is as good as an empty
 * one. A line that is not an assignment is an error: Node's parser would skip it silently.
 */
export function loadEnvFile(path: string): void {
  added.clear();
  const text = textOf(path);
  checkLines(text, path);
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (process.env[name] !== undefined) continue;
    process.env[name] = value;
    added.add(name);
  }
}

/** Variables of commands that are not settings of `serve`. */
const OTHER_NAMES = ['RECEIVER_URL', 'HANDOFF_USERNAME', 'HANDOFF_SECRET'];

/** Shorter names are close to those of other programs, such as HOST to DB_HOST. */
const MIN_NAME_LENGTH = 7;

/** A warning for each name of the file that is no setting, but close to one that is not set. */
export async function misspeltNames(): Promise<string[]> {
  if (added.size === 0) return [];
  const { SETTINGS } = await import('../standalone/index.js');
  const known = new Set([...SETTINGS.map(({ env }) => env), ...OTHER_NAMES]);
  const candidates = [...known].filter(
    (name) => name.length >= MIN_NAME_LENGTH && process.env[name] === undefined,
  );
  return [...added].flatMap((name) => {
    const closest = known.has(name) ? null : closestName(name, candidates);
    return closest === null ? [] : [`${ENV_FILE}: ${name} is not a setting. Did you mean ${closest}?`];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return '';
    throw new UsageError(`cannot read ${path} (${String(code)}). Check its permissions, or remove it.`, {
      cause: error,
    });
  }
}

/** Errors name the line and never quote it: it may hold a secret. */
function checkLines(text: string, path: string): void {
  for (LINE.lastIndex = 0; LINE.lastIndex < text.length; ) {
    const at = LINE.lastIndex;
    if (LINE.test(text)) continue;
    const line = text.slice(0, at).split('\n').length;
    throw new UsageError(
      `${path}, line ${line}: this is not an assignment. Write NAME=value, with quotes closed and "#" before comments.`,
    );
  }
}
