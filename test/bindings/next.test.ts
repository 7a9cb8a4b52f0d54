import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { describeWith } from '../helpers/requirement.js';
import { listen, type Served } from '../helpers/serve.js';
import type { ApplicationOptions } from './application.js';
import { describeHost } from './cases.js';
import { createNotes, type RunningHost } from './host.js';

/**
 * A real Next.js application with the packed package in it, built for production. One process for each set of options;
 * it tells what happens over HTTP.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const APP = join(import.meta.dirname, 'next');
const NEXT = join(APP, 'node_modules/next/dist/bin/next');

const NEXT_FOUND = {
  name: 'next',
  found: existsSync(NEXT),
  leavesOut: 'the receiver in Next.js',
  howToGet: 'npm ci --prefix test/bindings/next',
};

const running = new Map<string, Promise<RunningHost>>();
const children: ChildProcess[] = [];
const witnesses: Served[] = [];

/** The environment without the variables of this test run. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST$|npm_)/.test(name)),
  ),
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
});

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: environment() });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`);
}

async function startNext(options: ApplicationOptions): Promise<RunningHost> {
  const notes = createNotes();
  const witness = await listen((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      notes.tell(JSON.parse(text));
      response.end();
    });
  });
  witnesses.push(witness);
  const port = await freePort();
  const child = spawn(process.execPath, [NEXT, 'start', '-p', String(port), '-H', '127.0.0.1'], {
    cwd: APP,
    env: { ...environment(), APPLICATION: JSON.stringify(options), WITNESS: witness.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise<void>((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`next start ended with ${code}`)));
    child.stdout?.on('data', (text: Buffer) => text.includes('Ready') && ready());
  });
  return { port, notes };
}

describeWith(NEXT_FOUND)('in production', () => {
  vi.setConfig({ testTimeout: 60_000 });

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-next-'));
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
    const tarball = join(folder, readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '');
    run('npm', ['install', '--no-save', '--no-audit', '--no-fund', tarball], APP);
    rmSync(folder, { recursive: true });
    const application = readFileSync(join(import.meta.dirname, 'application.ts'), 'utf8');
    writeFileSync(
      join(APP, 'application.ts'),
      application.replace('../helpers/credentials.js', './credentials'),
    );
    cpSync(join(ROOT, 'test/helpers/credentials.ts'), join(APP, 'credentials.ts'));
    run(process.execPath, [NEXT, 'build'], APP);
  }, 600_000);

  afterAll(async () => {
    for (const child of children) child.kill();
    await Promise.all(witnesses.map((witness) => witness.end()));
  });

  describeHost('Next.js', {
    start(options) {
      const key = JSON.stringify(options);
      const host = running.get(key) ?? startNext(options);
      running.set(key, host);
      return host;
    },
    notFound: '{"code":404,"msg":"not found"}',
  });
});
