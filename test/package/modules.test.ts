import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeWith } from '../helpers/requirement.js';

/**
 * The package as others use it: packed, installed from the registry into an empty folder, and then loaded, compiled,
 * tested and bundled in every way that is supported.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const TOOLS = join(import.meta.dirname, 'tools/node_modules');
const packageJson: {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const SUBPATHS = Object.keys(packageJson.exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.replace(/^\./, 'handoff-kit'));

/** The part of esbuild that the tests use. */
interface Esbuild {
  readonly build: (options: object) => Promise<unknown>;
}

let folder = '';

/** Runs a program in the folder, without the variables of this test run, and gives its standard output. */
function run(command: string, args: readonly string[], cwd = folder): string {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|JEST_|TEST$|npm_)/.test(name));
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), NO_COLOR: '1' },
    timeout: 120_000,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed (${status}): ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}
const node = (...args: readonly string[]): string => run(process.execPath, args);
const tool = (file: string, ...args: readonly string[]): string => node(join(TOOLS, file), ...args);

/** Writes files into the folder, in a subfolder of their own, and gives its path. */
function project(name: string, files: Readonly<Record<string, string | object>>): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(path, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
}

/** A receiver that stores an event in SQLite, handles it and prints its text. */
const PROGRAM = `
import { createServer } from 'node:http';
import { createReceiver, HandoffKitError, type HandlerContext, noAuth, webhookUser } from 'handoff-kit';
import { sqlite } from 'handoff-kit/delivery/sqlite';

const receiver = createReceiver({
  auth: { message: webhookUser({ username: 'acme', secret: 'the-secret' }), handoff: noAuth() },
  delivery: sqlite({ file: process.argv[2] ?? 'handoff.db' }),
});
receiver.on('message', () => {});
receiver.on('handoff.requested', () => {});
receiver.on('handoff.message', ({ text, conversationId }: HandlerContext<'handoff.message'>) => {
  console.log(conversationId + ' says ' + text);
  setTimeout(() => void receiver.close().then(() => server.close()), 10);
});
const server = createServer(receiver);
async function main(): Promise<void> {
  await receiver.start();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const body = { conversation_id: 'c-1', message_id: 'm-1', body: 'hello', timestamp: Date.now() };
  const answer = await fetch('http://127.0.0.1:' + port + '/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  console.log(answer.status, new HandoffKitError('CONFIG_INVALID', 'as expected') instanceof HandoffKitError);
}
void main();
`;
const EXPECTED = ['200 true', 'c-1 says hello'];
/** What the program prints, without its log. */
const linesOf = (output: string): string[] =>
  output
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .toSorted();

/** Names one export of every entry, so that types of all of them are resolved. */
const ALL_TYPES = SUBPATHS.map(
  (path, index) => `import * as entry${index} from '${path}';\nvoid entry${index};`,
).join('\n');

const STRICT = {
  strict: true,
  target: 'es2022',
  types: ['node'],
  lib: ['es2022'],
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'out',
};

const TOOLS_FOUND = {
  name: 'package-tools',
  found: existsSync(join(TOOLS, 'typescript/package.json')),
  leavesOut: 'the package in CommonJS, Jest and bundles',
  howToGet: 'npm ci --prefix test/package/tools',
};

describeWith(TOOLS_FOUND)('the packed package', () => {
  vi.setConfig({ testTimeout: 180_000 });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'handoff-kit-package-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
    const peers = ['@photostructure/sqlite', 'hono'].map(
      (name) => `${name}@${packageJson.devDependencies[name]}`,
    );
    const tarball = run('ls', []).match(/\S+\.tgz/)?.[0] ?? '';
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', `./${tarball}`, ...peers]);
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(TOOLS, '@types/node'), join(folder, 'node_modules/@types/node'));
    symlinkSync(join(TOOLS, 'undici-types'), join(folder, 'node_modules/undici-types'));
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loads every entry with import and with require, as one and the same module', () => {
    const script = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      for (const path of ${JSON.stringify(SUBPATHS)}) {
        const imported = await import(path);
        const required = require(path);
        for (const name of Object.keys(imported)) {
          if (imported[name] !== required[name]) throw new Error(path + ' has two of ' + name);
        }
      }
      console.log('fine');`;
    project('load', { 'load.mjs': script });
    expect(node('load/load.mjs')).toBe('fine\n');
  });

  it('loads every entry in a program without ES modules', () => {
    const script = `for (const path of ${JSON.stringify(SUBPATHS)}) {
      if (Object.keys(require(path)).length === 0 && path !== 'handoff-kit/delivery') throw new Error(path);
    }
    console.log('fine');`;
    project('cjs', { 'load.cjs': script });
    expect(node('cjs/load.cjs')).toBe('fine\n');
    // The condition \`require\` is what tools without \`require\` of ES modules get, such as Jest.
    expect(node('--no-experimental-require-module', '-C', 'require', 'cjs/load.cjs')).toBe('fine\n');
  });

  it.each([
    [
      'ES modules, nodenext',
      { type: 'module' },
      { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false },
      true,
    ],
    ['ES modules, bundler', { type: 'module' }, { module: 'esnext', moduleResolution: 'bundler' }, false],
    ['CommonJS, node16', {}, { module: 'node16', moduleResolution: 'node16' }, true],
    [
      'CommonJS, the old resolution',
      {},
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '5.0', esModuleInterop: true },
      true,
    ],
  ])('compiles and runs in TypeScript with %s', (name, type, options, runs) => {
    const path = project(name.replace(/\W+/g, '-'), {
      'package.json': { private: true, ...type },
      'tsconfig.json': { compilerOptions: { ...STRICT, ...options } },
      'program.ts': PROGRAM,
    });
    tool('typescript/bin/tsc', '-p', path);
    if (runs) expect(linesOf(node(join(path, 'out/program.js'), join(path, 'x.db')))).toEqual(EXPECTED);
  });

  it.each([
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
    ['node10', { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true }],
  ])('has types for every entry with %s', (name, options) => {
    const path = project(`types-${name}`, {
      'package.json': { private: true, ...(name === 'nodenext' && { type: 'module' }) },
      'tsconfig.json': { compilerOptions: { ...STRICT, ...options } },
      'all.ts': ALL_TYPES,
    });
    tool('typescript/bin/tsc', '-p', path);
  });

  it('runs in Jest with its default settings', () => {
    const path = project('jest', {
      'package.json': { private: true, name: 'jest-consumer' },
      'receiver.test.js': `
        const { createReceiver } = require('handoff-kit');
        const { createTestBench } = require('handoff-kit/testing');
        test('a message is answered', async () => {
          const bench = await createTestBench({
            receiver(options) {
              const receiver = createReceiver(options);
              receiver.on('handoff.requested', () => {});
              receiver.on('handoff.message', async ({ text, reply }) => { await reply('You said: ' + text); });
              return receiver;
            },
          });
          await bench.requestHandoff();
          await bench.say('Hello');
          expect((await bench.nextReply()).text).toBe('You said: Hello');
          await bench.close();
        });`,
    });
    tool('jest/bin/jest.js', '--rootDir', path, '--ci');
  });

  describe.each(['esm', 'cjs'] as const)('in a bundle, %s', (format) => {
    const extension = format === 'esm' ? 'mjs' : 'cjs';

    const check = (path: string): void => {
      const output = node(path, `${path}.db`);
      // Without its thread, SQLite works all the same, and says what that costs.
      expect(linesOf(output)).toEqual(EXPECTED);
      expect(output).toContain('writes to SQLite block the event loop');
    };

    it('runs when esbuild has made it', async () => {
      const path = project(`esbuild-${format}`, { 'program.ts': PROGRAM });
      const out = join(path, `bundle.${extension}`);
      const banner =
        "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";
      const { build } = createRequire(import.meta.url)(join(TOOLS, 'esbuild')) as Esbuild;
      await build({
        entryPoints: [join(path, 'program.ts')],
        bundle: true,
        platform: 'node',
        logLevel: 'error',
        format,
        outfile: out,
        // Some dependencies use require, which ES modules lack.
        ...(format === 'esm' && { banner: { js: banner } }),
      });
      check(out);
    });

    it('runs when rolldown has made it', async () => {
      const path = project(`rolldown-${format}`, { 'program.ts': PROGRAM });
      const out = join(path, `bundle.${extension}`);
      const bundle = await rolldown({
        input: join(path, 'program.ts'),
        platform: 'node',
        cwd: path,
        logLevel: 'silent',
      });
      await bundle.write({ file: out, format, codeSplitting: false });
      await bundle.close();
      check(out);
    });
  });
});
