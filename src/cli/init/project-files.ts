import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../output.js';

/** The root of the package, with templates and examples; the path is the same from `src` and `dist`. */
const ROOT = new URL('../../../', import.meta.url);

interface PackageJson {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const own: PackageJson = createRequire(import.meta.url)('../../../package.json');

/** Versions of packages that this package itself is not developed with. */
const OTHER_VERSIONS: Readonly<Record<string, string>> = {
  '@types/react': '19.2.2',
  next: '16.4.3',
  react: '19.3.1',
  'react-dom': '19.3.1',
  tsx: '4.23.15',
};

/** Keeps the lines between `#if <fact>` and `#end` where the fact is true. Sections may contain others. */
function keepSections(template: string, facts: ReadonlySet<string>): string {
  const kept: boolean[] = [];
  return template
    .split('\n')
    .filter((line) => {
      const [, keyword, fact = ''] = /^\s*(?:\/\/|#|<!--) #(if|end)(?: (\w+))?/.exec(line) ?? [];
      if (keyword === 'if') kept.push(facts.has(fact));
      if (keyword === 'end') kept.pop();
      return keyword === undefined && !kept.includes(false);
    })
    .join('\n');
}

/** The types in templates. */
const TYPES_IN_TEMPLATES = [
  'Built|Receiver|ReceiverOptions|Request|TestBench|ReturnType<[^;]*>',
  "string|unknown|never|Buffer|URLSearchParams|Record<[^>]*>|Promise<unknown>|'message' \\| 'note'",
  'InboundEvent|MessageAuthor|Adapter(?:Factory|FactoryInput|Harness)|IncomingMessage|ServerResponse',
  'Answer|Author|Case|Desk(?:Action|Event|Options|Settings)|SentFile',
].join('|');
const ANNOTATION = new RegExp(`: (?:${TYPES_IN_TEMPLATES})(?:\\[\\])?(?=[ ,;)])`, 'g');

/** A template in JavaScript. Templates have types only where this finds them; the tests run every project. */
const withoutTypes = (text: string): string =>
  text
    .replace(/^(?:export )?interface \w+ \{\n(?: .*\n)*\}\n/gm, '')
    .replace(/^(?:import |export )?type .*;\n/gm, '')
    .replace(/^ {2}type \w+,\n/gm, '')
    .replace(/, type \w+|type \w+, /g, '')
    .replace(/new (Map|Promise)<[^>]*>\(/g, 'new $1(')
    .replace(ANNOTATION, '')
    .replace(/ as typeof globalThis .*;$/gm, ';')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart();

export interface Filling {
  readonly language: 'ts' | 'js';
  /** What templates can ask for with `#if`. */
  readonly facts: ReadonlySet<string>;
  /** What `{{name}}` stands for. */
  readonly values: Readonly<Record<string, string>>;
}

/** The text of a file of the project, from a template or an example, by its path in this package. */
export function fillTemplate(path: string, { language, facts, values }: Filling): string {
  const text = keepSections(readFileSync(new URL(encodeURI(path), ROOT), 'utf8'), facts);
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => values[name] ?? '');
  return language === 'js' && path.endsWith('.ts') ? withoutTypes(filled) : filled;
}

/** Writes the files of a project, in which `.ts` files are `.js` files in JavaScript. Gives their paths. */
export function writeProject(
  folder: string,
  language: Filling['language'],
  files: Readonly<Record<string, string>>,
): string[] {
  checkTarget(folder);
  const paths = Object.entries(files).map(([name, text]) => {
    const path = language === 'js' ? name.replace(/\.ts$/, '.js') : name;
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    // The file with the secrets is for this user alone.
    writeFileSync(target, text, path === '.env' ? { mode: 0o600 } : {});
    return path;
  });
  return paths.sort();
}

/** The name of the folder as the name of a package. */
export const packageNameOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'my-receiver';

/** An empty name, as an unset variable of a shell gives it, would be the current folder. */
function checkTarget(folder: string): void {
  if (folder.trim() === '') throw new UsageError('the name of the folder is empty. Choose a new folder.');
  if (basename(resolve(folder)).length > MAX_NAME) {
    throw new UsageError(
      `the name of the folder is longer than ${MAX_NAME} characters. Choose a shorter one.`,
    );
  }
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file. Choose a new folder.`);
  const others = readdirSync(folder).filter((name) => name !== '.git');
  if (others.length > 0) throw new UsageError(`the folder ${folder} is not empty. Choose a new one.`);
}

/** The longest name of a package. */
const MAX_NAME = 214;

/** Next needs the compiler's JavaScript API, which TypeScript 7 does not have. */
const TYPESCRIPT_OF_NEXT = '5.9.3';

/** The versions that the tests of this package run with, and compatible later ones. A later linter has more rules. */
export function versionsOf(names: readonly string[], isNext = false): Record<string, string> {
  const known: Readonly<Record<string, string>> = {
    ...OTHER_VERSIONS,
    ...own.devDependencies,
    ...own.dependencies,
    'handoff-kit': own.version,
    ...(isNext && { typescript: TYPESCRIPT_OF_NEXT }),
  };
  const rangeOf = (name: string): string =>
    `${name === 'oxlint' ? '' : '^'}${known[name]?.replace(/^\^/, '')}`;
  return Object.fromEntries(names.toSorted().map((name) => [name, rangeOf(name)]));
}
