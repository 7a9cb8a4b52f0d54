import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeWith } from '../helpers/requirement.js';
import { packageTools, ROOT, run, TOOLS } from './installed.js';
import { openRegistry } from './registry.js';

/**
 * The package as others use it: packed, installed into an empty folder, and then loaded, compiled, tested and bundled
 * in every way that is supported.
 */
const packageJson: {
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const SUBPATHS = readdirSync(join(ROOT, 'src/public'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `handoff-kit/${file.slice(0, -'.ts'.length).replaceAll('\\', '/')}`.replace(/\/index$/, ''));

/** Entries that have types and nothing to run. */
const TYPES_ONLY = ['handoff-kit/bindings', 'handoff-kit/diagnostics'];

/** The command with which the guide makes a bundle. */
const [, ESBUILD = ''] =
  /^npx (esbuild .*?)\n```$/ms.exec(readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')) ?? [];

let folder = '';

const node = (...args: readonly string[]): Promise<string> => run(process.execPath, args, folder);
const tool = (file: string, ...args: readonly string[]): Promise<string> => node(join(TOOLS, file), ...args);

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

describeWith(packageTools('the package in CommonJS, Jest and bundles'))('the packed package', () => {
  vi.setConfig({ testTimeout: 180_000 });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'handoff-kit-package-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
    const registry = await openRegistry();
    const peers = ['@photostructure/sqlite', 'fastify', 'hono'].map(
      (name) => `${name}@${packageJson.peerDependencies[name]}`,
    );
    await run(
      'npm',
      ['install', 'handoff-kit', '@types/express', '@types/node@20', ...peers],
      folder,
      registry.env,
    ).finally(() => registry.close());
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loads every entry with import and with require, as one and the same module', async () => {
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
    expect(await node('load/load.mjs')).toBe('fine\n');
  });

  it('loads every entry in a program without ES modules', async () => {
    const script = `for (const path of ${JSON.stringify(SUBPATHS)}) {
      if (Object.keys(require(path)).length === 0 && !${JSON.stringify(TYPES_ONLY)}.includes(path)) throw new Error(path);
    }
    console.log('fine');`;
    project('cjs', { 'load.cjs': script });
    expect(await node('cjs/load.cjs')).toBe('fine\n');
    // The condition \`require\` is what tools without \`require\` of ES modules get, such as Jest.
    expect(await node('--no-experimental-require-module', '-C', 'require', 'cjs/load.cjs')).toBe('fine\n');
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
  ])('compiles and runs in TypeScript with %s', async (name, type, options, runs) => {
    const path = project(name.replace(/\W+/g, '-'), {
      'package.json': { private: true, ...type },
      'tsconfig.json': { compilerOptions: { ...STRICT, ...options } },
      'program.ts': PROGRAM,
    });
    await tool('typescript/bin/tsc', '-p', path);
    if (runs) expect(linesOf(await node(join(path, 'out/program.js'), join(path, 'x.db')))).toEqual(EXPECTED);
  });

  it.each([
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
    ['node10', { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true }],
  ])('has types for every entry with %s', async (name, options) => {
    const path = project(`types-${name}`, {
      'package.json': { private: true, ...(name === 'nodenext' && { type: 'module' }) },
      'tsconfig.json': { compilerOptions: { ...STRICT, ...options } },
      'all.ts': ALL_TYPES,
    });
    await tool('typescript/bin/tsc', '-p', path);
  });

  it('has types for every entry with the oldest TypeScript, without skipLibCheck', async () => {
    // The types of Hono itself need a newer one.
    const path = project('types-oldest', {
      'package.json': { private: true, type: 'module' },
      'tsconfig.json': { compilerOptions: { ...STRICT, module: 'nodenext', skipLibCheck: false } },
      'all.ts': ALL_TYPES.replace(/^.*'handoff-kit\/hono';\n.*\n/m, ''),
    });
    const { version } = JSON.parse(readFileSync(join(TOOLS, 'typescript54/package.json'), 'utf8'));
    for (const page of ['README.md', 'docs/index.md']) {
      expect(readFileSync(join(ROOT, page), 'utf8')).toContain(`TypeScript ${version.slice(0, 3)} or newer`);
    }
    await tool('typescript54/bin/tsc', '-p', path);
  });

  it('runs in Jest with its default settings', async () => {
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
    await tool('jest/bin/jest.js', '--rootDir', path, '--ci');
  });

  describe.each(['esm', 'cjs'] as const)('in a bundle, %s', (format) => {
    const extension = format === 'esm' ? 'mjs' : 'cjs';

    const check = async (path: string): Promise<void> => {
      const output = await node(path, `${path}.db`);
      // Without its thread, SQLite works all the same, and says what that costs.
      expect(linesOf(output)).toEqual(EXPECTED);
      expect(output).toContain('writes to SQLite block the event loop');
    };

    it('runs when esbuild has made it', async () => {
      const path = project(`esbuild-${format}`, { 'server.ts': PROGRAM });
      const PATH = [join(TOOLS, '.bin'), process.env.PATH].join(delimiter);
      // For ES modules, exactly as the guide says.
      const command =
        format === 'esm'
          ? ESBUILD
          : 'esbuild server.ts --bundle --platform=node --format=cjs --outfile=server.cjs';
      await run('sh', ['-c', command], path, { PATH });
      await check(join(path, `server.${extension}`));
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
      await check(out);
    });
  });
});
