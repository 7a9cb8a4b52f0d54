import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { describeWith } from '../helpers/requirement.js';
import { listen, type Served } from '../helpers/serve.js';
import { environment, ROOT, run } from '../package/installed.js';
import { openRegistry } from '../package/registry.js';
import type { ApplicationOptions } from './application.js';
import { describeHost } from './cases.js';
import { createNotes, type RunningHost } from './host.js';

/**
 * A real Next.js application with the packed package, built for production. One process for each set of options, which
 * reports over HTTP.
 */
const APP = join(import.meta.dirname, 'next');
const NEXT = 'node_modules/next/dist/bin/next';

/** A copy of the application, since other tests install its packages at the same time. */
let folder = '';

const NEXT_FOUND = {
  name: 'next',
  found: existsSync(join(APP, NEXT)),
  leavesOut: 'the receiver in Next.js',
  howToGet: 'npm ci --prefix test/bindings/next',
};

const running = new Map<string, Promise<RunningHost>>();
const children: ChildProcess[] = [];
const witnesses: Served[] = [];

const PRODUCTION = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };

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
    cwd: folder,
    env: {
      ...environment(),
      ...PRODUCTION,
      APPLICATION: JSON.stringify(options),
      WITNESS: witness.url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise<void>((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`next start ended with ${code}`)));
    child.stdout?.on('data', (text: Buffer) => text.includes('Ready') && ready());
  });
  // Next loads a route with its first request. On a busy machine, that takes longer than the platform waits.
  await fetch(`http://127.0.0.1:${port}/webhook`);
  return { port, notes };
}

describeWith(NEXT_FOUND)('in production', () => {
  vi.setConfig({ testTimeout: 60_000 });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'handoff-kit-next-'));
    // Without the lock file, whose checksums are for the published packages.
    const isSource = (path: string): boolean => !/\/(node_modules|\.next|package-lock\.json)$/.test(path);
    cpSync(APP, folder, { recursive: true, filter: isSource });
    const application = readFileSync(join(import.meta.dirname, 'application.ts'), 'utf8');
    writeFileSync(
      join(folder, 'application.ts'),
      application.replace('../helpers/credentials.js', './credentials'),
    );
    cpSync(join(ROOT, 'test/helpers/credentials.ts'), join(folder, 'credentials.ts'));
    const registry = await openRegistry();
    await run('npm', ['install', 'handoff-kit'], folder, registry.env).finally(() => registry.close());
    await run(process.execPath, [NEXT, 'build'], folder, PRODUCTION);
  }, 600_000);

  afterAll(async () => {
    for (const child of children) child.kill();
    await Promise.all(witnesses.map((witness) => witness.end()));
    rmSync(folder, { recursive: true, force: true });
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
