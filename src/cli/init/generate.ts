import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../output.js';
import { type Answers, QUESTIONS } from './choices.js';

/** The templates in the root of the package; the path is the same from `src` and `dist`. */
const TEMPLATES = new URL('../../../templates/', import.meta.url);

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

/** The template of each file of the project, by its path. In a JavaScript project, `.ts` files are `.js` files. */
function templatesFor({ language, host, delivery, adapter }: Answers): Record<string, string> {
  const isNext = host === 'next';
  const isHelpdesk = adapter === 'slack' || adapter === 'chatwoot';
  return {
    'README.md': 'README.md',
    '.gitignore': '_gitignore',
    '.dockerignore': '_dockerignore',
    '.github/workflows/ci.yml': '_workflow.yml',
    Dockerfile: 'Dockerfile',
    'vitest.config.ts': 'vitest.config.ts',
    'src/receiver.ts': 'src/receiver.ts',
    'src/delivery.ts': delivery === 'inline' ? 'src/delivery.ts' : `src/delivery.${delivery}.ts`,
    'src/helpdesk.ts': adapter === 'slack' ? 'src/helpdesk.ts' : `src/helpdesk.${adapter}.ts`,
    'test/receiver.test.ts': isHelpdesk ? 'test/receiver.test.ts' : `test/receiver.${adapter}.test.ts`,
    ...(language === 'ts' && { 'tsconfig.json': isNext ? 'tsconfig.next.json' : 'tsconfig.json' }),
    ...(!isNext && { 'src/server.ts': host === 'express' ? 'src/server.ts' : `src/server.${host}.ts` }),
    ...(host === 'nest' && {
      'src/app.module.ts': language === 'ts' ? 'src/app.module.nest.ts' : 'src/app.module.js',
    }),
    ...(host === 'lambda' && { 'src/lambda.ts': 'src/lambda.ts' }),
    ...(isNext && {
      'next.config.js': 'next.config.js',
      'instrumentation.ts': 'instrumentation.ts',
      'src/instance.ts': 'src/instance.ts',
      'app/healthz/route.ts': 'app/healthz/route.ts',
      'app/webhook/[[...path]]/route.ts': 'app/webhook/[[...path]]/route.ts',
      ...(isHelpdesk && { 'app/adapters/[name]/route.ts': 'app/adapters/[name]/route.ts' }),
    }),
  };
}

/** Whether the project has a build. Without one, the server runs from `src`. */
const isBuilt = ({ language, host }: Answers): boolean => language === 'ts' || host === 'next';

/** What templates can ask for with `#if`. */
const factsOf = (answers: Answers): ReadonlySet<string> => {
  const { host, adapter } = answers;
  return new Set([
    ...Object.values(answers),
    isBuilt(answers) ? 'built' : 'plain',
    host === 'next' ? 'next' : 'server',
    host === 'lambda' ? 'lambda' : 'container',
    ...(adapter === 'none' ? [] : ['adapter']),
    ...(adapter === 'slack' || adapter === 'chatwoot' ? ['helpdesk'] : []),
  ]);
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

/** A template in JavaScript. Templates have types only where this finds them; the tests run every project. */
const withoutTypes = (text: string): string =>
  text
    .replace(/^(?:import )?type .*;\n/gm, '')
    .replace(/, type \w+|type \w+, /g, '')
    .replace(/: (?:Built|Receiver|ReceiverOptions|Request|TestBench|ReturnType<[^;]*>)(?=[ ;)])/g, '')
    .replace(/ as typeof globalThis .*;$/gm, ';')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart();

const titleOf = (question: keyof Answers, answers: Answers): string =>
  QUESTIONS[question].find(({ name }) => name === answers[question])?.title ?? '';

/** The name of the folder as the name of a package. */
const packageNameOf = (folder: string): string =>
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

/** Writes a project into a folder, which must be new or empty. Gives the paths of its files. */
export function generateProject(folder: string, answers: Answers): string[] {
  checkTarget(folder);
  const facts = factsOf(answers);
  const values: Readonly<Record<string, string>> = {
    name: packageNameOf(folder),
    language: answers.language,
    adapter: answers.adapter,
    folder: isBuilt(answers) ? 'dist' : 'src',
    languageTitle: titleOf('language', answers),
    hostTitle: titleOf('host', answers),
    deliveryTitle: titleOf('delivery', answers),
    adapterTitle: titleOf('adapter', answers),
  };
  const textOf = (template: string, more: Readonly<Record<string, string>> = {}): string => {
    const text = keepSections(readFileSync(new URL(encodeURI(template), TEMPLATES), 'utf8'), facts);
    const filled = text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => more[name] ?? values[name] ?? '');
    if (!template.endsWith('.ts')) return filled;
    if (answers.language === 'js') return withoutTypes(filled);
    // Next resolves the paths of TypeScript files without their extension.
    return answers.host === 'next' ? filled.replace(/((?:from|import\() ?'\.[^']*)\.js'/g, "$1'") : filled;
  };
  const secret = (): string => randomBytes(24).toString('hex');
  const files: Record<string, string> = {
    'package.json': `${JSON.stringify(packageJson(values.name ?? '', answers), null, 2)}\n`,
    '.env.example': textOf('_env', { handoffToken: '', platformApiKey: '' }),
    '.env': textOf('_env', { handoffToken: secret(), platformApiKey: secret() }),
  };
  for (const [path, template] of Object.entries(templatesFor(answers))) {
    files[answers.language === 'js' ? path.replace(/\.ts$/, '.js') : path] = textOf(template);
  }
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    // The file with the secrets is for this user alone.
    writeFileSync(target, text, path === '.env' ? { mode: 0o600 } : {});
  }
  return Object.keys(files).sort();
}

/** The packages of each answer. */
const PACKAGES = {
  express: ['express'],
  fastify: ['fastify'],
  hono: ['hono', '@hono/node-server'],
  koa: ['koa'],
  nest: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
  next: ['next', 'react', 'react-dom'],
  lambda: [],
  inline: [],
  sqlite: ['@photostructure/sqlite'],
  postgres: ['pg'],
};

/** Type packages, for servers that do not include their types. */
const TYPES: { readonly [Host in Answers['host']]?: string } = {
  express: '@types/express',
  koa: '@types/koa',
  next: '@types/react',
};

function packageJson(name: string, answers: Answers): object {
  const { language, host, delivery, adapter } = answers;
  const isNext = host === 'next';
  const isTypeScript = language === 'ts';
  const types = isTypeScript ? ['@types/node', 'typescript', TYPES[host] ?? []].flat() : [];
  const devServer = isTypeScript ? 'tsx watch src/server.ts' : 'node --watch src/server.js';
  const server = `node ${isTypeScript ? 'dist' : 'src'}/server.js`;
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      dev: isNext ? 'next dev' : devServer,
      ...(isBuilt(answers) && { build: isNext ? 'next build' : 'tsc' }),
      start: isNext ? 'next start' : server,
      lint: `oxlint --deny-warnings ${isNext ? `app instrumentation.${language} ` : ''}src test`,
      ...(isTypeScript && { typecheck: 'tsc --noEmit' }),
      test: 'vitest run',
      simulate: 'handoff-kit simulate --port 4000',
      ...(adapter === 'desk' && { 'add-agent': 'handoff-kit desk add-agent' }),
    },
    dependencies: {
      'handoff-kit': `^${own.version}`,
      ...versionsOf([...PACKAGES[host], ...PACKAGES[delivery]]),
    },
    devDependencies: versionsOf(
      [...types, ...(isTypeScript && !isNext ? ['tsx'] : []), 'oxlint', 'vitest'],
      isNext,
    ),
  };
}

/** Next needs the compiler's JavaScript API, which TypeScript 7 does not have. */
const TYPESCRIPT_OF_NEXT = '5.9.3';

/** The versions that the tests of this package run with, and compatible later ones. A later linter has more rules. */
function versionsOf(names: readonly string[], isNext = false): Record<string, string> {
  const known: Readonly<Record<string, string>> = {
    ...OTHER_VERSIONS,
    ...own.devDependencies,
    ...own.dependencies,
    ...(isNext && { typescript: TYPESCRIPT_OF_NEXT }),
  };
  const rangeOf = (name: string): string =>
    `${name === 'oxlint' ? '' : '^'}${known[name]?.replace(/^\^/, '')}`;
  return Object.fromEntries(names.toSorted().map((name) => [name, rangeOf(name)]));
}
