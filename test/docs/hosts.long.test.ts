import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { serveGateway, toEventV2 } from '../bindings/api-gateway.js';
import { GROUPS } from '../bindings/cases.js';
import { matrixOf } from '../bindings/matrix.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { freePort } from '../helpers/free-port.js';
import { blocksIn } from './pages.js';
import { readersFolder } from './reader.js';

const ROOT = resolve(import.meta.dirname, '../..');
const WORK = join(ROOT, '.hosts-check');
const GUIDE = readFileSync(join(ROOT, 'docs/hosts.md'), 'utf8');

/** Every block of the guide is a file, whose name follows its language. */
const blocks = [...GUIDE.matchAll(/^```ts ([\w-]+\.ts)\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', code = '']) => ({
    name,
    code,
  }),
);

/** Files that frameworks generate, and an application. */
const SURROUNDINGS = {
  'app.module.ts':
    "import 'reflect-metadata';\nimport { Module } from '@nestjs/common';\nexport class AppModule {}\nModule({})(AppModule);\n",
  '$types.d.ts':
    'export type RequestHandler = (event: { request: Request }) => Response | Promise<Response>;\n',
};

/** Servers for the blocks that only export a handler. */
const SERVERS = {
  'next-route.ts': `import { serve } from '@hono/node-server';
    import { POST } from './next-route.js';
    serve({ fetch: (request) => POST(request), port: Number(process.env.PORT) });`,
  'sveltekit-route.ts': `import { serve } from '@hono/node-server';
    import { POST } from './sveltekit-route.js';
    serve({ fetch: (request) => POST({ request }), port: Number(process.env.PORT) });`,
};

beforeAll(async () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
  const config = { extends: '../tsconfig.json', include: ['*.ts'] };
  writeFileSync(join(WORK, 'tsconfig.json'), JSON.stringify(config));
  const files = [...blocks, ...Object.entries(SURROUNDINGS).map(([name, code]) => ({ name, code }))];
  for (const { name, code } of files) {
    writeFileSync(join(WORK, name), code);
    if (name.endsWith('.d.ts')) continue;
    const { code: script } = await transformWithOxc(code, join(WORK, name), { sourcemap: false });
    writeFileSync(join(WORK, name.replace(/ts$/, 'js')), script);
  }
  for (const [name, code] of Object.entries(SERVERS))
    writeFileSync(join(WORK, `serve-${name.replace(/ts$/, 'js')}`), code);
});
afterAll(() => rmSync(WORK, { recursive: true, force: true }));

describe('the guide to hosts', () => {
  it('has code blocks that compile', () => {
    expect(blocks.length).toBeGreaterThan(10);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc, '-p', WORK], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('shows each host in at most ten lines', () => {
    for (const { name, code } of blocks) {
      if (name !== 'receiver.ts') expect(code.trimEnd().split('\n').length, name).toBeLessThanOrEqual(10);
    }
  });

  it.each(
    blocks.map(({ name }) => name).filter((name) => !name.startsWith('lambda') && name !== 'receiver.ts'),
  )('has code that runs: a user is answered by %s', async (name) => {
    const simulator = await startSimulator();
    const port = await freePort();
    const script = (name in SERVERS ? `serve-${name}` : name).replace(/ts$/, 'js');
    const child = spawn(process.execPath, [join(WORK, script)], {
      env: { ...process.env, ...environmentOf(simulator.url), PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => ended(child));
    await listening(port);
    await expectAnswered(simulator, port);
  });

  it('has commands that run a sample in the folder of a reader', async () => {
    const simulator = await startSimulator();
    const port = await freePort();
    const folder = readersFolder();
    for (const { name, code } of blocks) writeFileSync(join(folder, name), code);
    const settings = Object.entries({ ...environmentOf(simulator.url), PORT: port });
    writeFileSync(join(folder, '.env'), settings.map(([name, value]) => `${name}=${value}\n`).join(''));
    const [compile = '', start = ''] =
      blocksIn(GUIDE)
        .find(({ name }) => name === 'run')
        ?.code.trimEnd()
        .split('\n') ?? [];
    const env = { PATH: process.env.PATH, HOME: folder };
    expect(spawnSync('sh', ['-c', compile], { cwd: folder, env, encoding: 'utf8' }).stdout).toBe('');
    const child = spawn('sh', ['-c', `exec ${start}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => ended(child));
    await listening(port);
    await expectAnswered(simulator, port);
  });

  it('has code that runs: a user is answered by lambda.ts', async () => {
    const simulator = await startSimulator();
    const outside = { ...process.env };
    onTestFinished(() => {
      process.env = outside;
    });
    Object.assign(process.env, environmentOf(simulator.url));
    const { handler } = await import(/* @vite-ignore */ pathToFileURL(join(WORK, 'lambda.js')).href);
    const gateway = await serveGateway(handler, (request) => toEventV2(request));
    onTestFinished(() => gateway.end());
    await expectAnswered(simulator, gateway.port);
  });
});

describe('the table of hosts', () => {
  it('has a group of cases in each cell', () => {
    const [table] = /^\| host \|[\s\S]*?\n\n\(1\)[\s\S]*?(?=\n\n|\n$)/m.exec(GUIDE) ?? [];
    expect(table?.replace(/(?<!\|)\n(?!\n|\(1\))/g, ' ')).toBe(matrixOf(GROUPS));
  });
});

const API_KEY = 'key-of-the-agent';

async function startSimulator() {
  const simulator = createSimulator({ bots: [{ id: 'agent', apiKey: API_KEY }] });
  onTestFinished(() => simulator.close());
  return { simulator, url: await simulator.listen() };
}

const environmentOf = (url: string) => ({
  WEBHOOK_USERNAME: USERNAME,
  WEBHOOK_SECRET: SECRET,
  HANDOFF_TOKEN: PATH_TOKEN,
  PLATFORM_API_KEY: API_KEY,
  PLATFORM_BASE_URL: url,
});

async function expectAnswered(
  { simulator }: Awaited<ReturnType<typeof startSimulator>>,
  port: number,
): Promise<void> {
  const webhook = `http://127.0.0.1:${port}/webhook`;
  simulator.bots.update('agent', {
    message: { url: webhook, username: USERNAME, secret: SECRET },
    humanServices: [{ componentId: 'desk', url: `${webhook}/${PATH_TOKEN}` }],
  });
  expect(await simulator.botMessage({ text: 'Hello' })).toMatchObject({ status: 200 });
  const handoff = await simulator.requestHandoff();
  await handoff.say('Where is it?');
  expect((await handoff.nextReply()).text).toBe('You said: Where is it?');
}

/** Waits until a server answers at a port. */
async function listening(port: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/webhook/none`);
      return;
    } catch (error) {
      if (attempt === 400) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill();
  await exit;
}
