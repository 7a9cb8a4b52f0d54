import { randomBytes } from 'node:crypto';
import { type Answers, QUESTIONS } from './choices.js';
import { fillTemplate, packageNameOf, versionsOf, writeProject } from './project-files.js';

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

const titleOf = (question: keyof Answers, answers: Answers): string =>
  QUESTIONS[question].find(({ name }) => name === answers[question])?.title ?? '';

/** Writes a project into a folder, which must be new or empty. Gives the paths of its files. */
export function generateProject(folder: string, answers: Answers): string[] {
  const { language } = answers;
  const facts = factsOf(answers);
  const values: Readonly<Record<string, string>> = {
    name: packageNameOf(folder),
    language,
    adapter: answers.adapter,
    folder: isBuilt(answers) ? 'dist' : 'src',
    languageTitle: titleOf('language', answers),
    hostTitle: titleOf('host', answers),
    deliveryTitle: titleOf('delivery', answers),
    adapterTitle: titleOf('adapter', answers),
  };
  const textOf = (template: string, more: Readonly<Record<string, string>> = {}): string => {
    const text = fillTemplate(`templates/${template}`, { language, facts, values: { ...values, ...more } });
    // Next resolves the paths of TypeScript files without their extension.
    return answers.host === 'next' && language === 'ts' && template.endsWith('.ts')
      ? text.replace(/((?:from|import\() ?'\.[^']*)\.js'/g, "$1'")
      : text;
  };
  const secret = (): string => randomBytes(24).toString('hex');
  return writeProject(folder, language, {
    'package.json': `${JSON.stringify(packageJson(values.name ?? '', answers), null, 2)}\n`,
    '.env.example': textOf('_env', { handoffToken: '', platformApiKey: '' }),
    '.env': textOf('_env', { handoffToken: secret(), platformApiKey: secret() }),
    ...Object.fromEntries(
      Object.entries(templatesFor(answers)).map(([path, template]) => [path, textOf(template)]),
    ),
  });
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
    dependencies: versionsOf(['handoff-kit', ...PACKAGES[host], ...PACKAGES[delivery]]),
    devDependencies: versionsOf(
      [...types, ...(isTypeScript && !isNext ? ['tsx'] : []), 'oxlint', 'vitest'],
      isNext,
    ),
  };
}
