import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { blocksIn, read } from '../docs/pages.js';
import { freePort } from '../helpers/free-port.js';
import { openRegistry, type Registry } from '../package/registry.js';
import { agentAt } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { customerAt } from './customer-page.js';
import { logIn, openWindow, TIMEOUT_MS } from './start-desk.js';

/**
 * Follows docs/tutorial.md in an empty folder: writes its files, runs its commands in their order, and does in a browser
 * what it tells the reader to do. npm gets the packed package, and the others in the versions of the lock file.
 */
vi.setConfig({ testTimeout: 5 * TIMEOUT_MS, hookTimeout: 5 * TIMEOUT_MS });

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-tutorial-'));
const project = join(folder, 'my-receiver');
const children: ChildProcess[] = [];

/** The environment of a reader, without the variables of this test run and of this machine's tests. */
const environment: Record<string, string | undefined> = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_(?!EXTRA_CA_CERTS)|TEST$|npm_|PORT$|DATABASE_URL$)/.test(name),
  ),
);

/** Runs a block of the tutorial and gives its output. */
async function run(command: string, cwd: string): Promise<string> {
  const child = spawn('bash', ['-ec', command], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    output += text;
  });
  const status = await new Promise<number | null>((done) => child.once('close', done));
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${output}`);
  return output;
}

/** Starts a block that does not end, until it prints what is expected. */
async function start(command: string, cwd: string, expected: RegExp): Promise<ChildProcess> {
  // In a group of its own, since npx starts the program as another process.
  const child = spawn('bash', ['-ec', command], {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  await new Promise<void>((ready, failed) => {
    const onText = (text: Buffer): void => {
      output += text;
      if (expected.test(output)) ready();
    };
    child.stdout?.on('data', onText);
    child.stderr?.on('data', onText);
    child.once('exit', (code) => failed(new Error(`${command} ended with ${code}: ${output}`)));
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
  const exit = new Promise((done) => child.once('exit', done));
  process.kill(-child.pid, 'SIGTERM');
  await exit;
}

describeInBrowser('the tutorial', () => {
  let browser: Browser;
  let registry: Registry;
  let ports = { receiver: '', platform: '' };
  let blocks: ReturnType<typeof blocksIn> = [];

  /** The block of the tutorial with this name, or whose code begins so. */
  const block = (key: string): string => {
    const found = blocks.find(({ name, code }) => name === key || code.startsWith(key));
    if (!found) throw new Error(`docs/tutorial.md has no block ${key}`);
    return found.code;
  };

  beforeAll(async () => {
    browser = await launch();
    ports = { receiver: String(await freePort()), platform: String(await freePort()) };
    const text = read('docs/tutorial.md')
      .replaceAll('3000', ports.receiver)
      .replaceAll('4000', ports.platform);
    blocks = blocksIn(text);
    registry = await openRegistry();
    Object.assign(environment, registry.env);
  });

  afterAll(async () => {
    await Promise.all(children.map(end));
    await browser?.close();
    registry?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("ends with a human's answer at the simulated user", async () => {
    await run(block('mkdir'), folder);
    await run(block('npm install @photostructure/sqlite'), project);
    expect(await run(block('npx handoff-kit demo'), project)).toContain('every one answered 200');
    for (const name of ['.env', 'server.js']) writeFileSync(join(project, name), block(name));

    const receiver = await start(block('serve'), project, /Listening on/);
    const added = await run(block('npx handoff-kit desk add-agent'), project);
    const [, password = ''] = /"?password"?:\s*"?([\w-]+)/i.exec(added) ?? [];

    const desk = await openWindow(browser, `http://127.0.0.1:${ports.receiver}/desk/`);
    await logIn(desk.page, 'ann', password);

    const platform = await start(block('simulate'), project, /Open http/);
    const window = await openWindow(browser, `http://127.0.0.1:${ports.platform}`);
    const customer = customerAt(window.page);
    await customer.say('Where is my parcel?');
    await customer.press('Ask for a human');
    await customer.sees('agent', 'One moment, please.');
    const agent = agentAt(desk.page);
    await agent.inbox.getByRole('link').first().click();
    await agent.field.fill('It arrives tomorrow.');
    await agent.press('Send');
    await customer.sees('agent', 'It arrives tomorrow.');

    await run(block('npx handoff-kit doctor'), project);
    await run(block('npx handoff-kit check'), project);
    await end(receiver);

    const server = join(folder, 'server');
    mkdirSync(server);
    for (const name of ['.env', 'server.js', 'package.json', 'package-lock.json'])
      cpSync(join(project, name), join(server, name));
    await start(`set -a; . ./.env; set +a\n${block('deploy')}`, server, /Listening on/);
    await run(block('npx handoff-kit doctor'), project);
    await run(block('npx handoff-kit check'), project);
    await end(platform);
  });
});
