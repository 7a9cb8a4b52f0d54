import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { examineReceiver } from '../../src/doctor/index.js';
import { createSimulator } from '../../src/simulator/index.js';
import { SETTINGS } from '../../src/standalone/index.js';
import { freePort } from '../helpers/free-port.js';
import { blocksIn, ROOT, read } from './pages.js';
import { readersFolder } from './reader.js';

const WORK = join(ROOT, '.readme-check');
const README = read('README.md');

const [opening = ''] = blocksIn(README)
  .filter(({ name }) => name === 'run')
  .map(({ code }) => code);

/** The README's settings for a first run. */
const settingsText = blocksIn(README).find(({ name }) => name === '.env')?.code ?? '';
const settings = parseEnv(settingsText);

beforeAll(() => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
});
afterAll(() => rmSync(WORK, { recursive: true, force: true }));

describe('the README', () => {
  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...README.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(scripts).toHaveProperty([String(name)]);
  });

  it('opens with code whose variables have the names of the command line', () => {
    const known = [...SETTINGS.map(({ env }) => env), 'HANDOFF_TOKEN'];
    const named = opening.match(/\b[A-Z]+(?:_[A-Z]+)*\b(?= =|,| \}|\)| \?\?)/g) ?? [];
    expect(named).toContain('PLATFORM_API_KEY');
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has settings that lead to the simulated platform', () => {
    const [, port] = /handoff-kit simulate .*--port (\d+)/.exec(README) ?? [];
    expect(settings.PLATFORM_BASE_URL).toBe(`http://127.0.0.1:${port}`);
  });

  it.each([
    ['a username and a secret', { WEBHOOK_SECRET: 'secret' }, 'Basic YWNtZTpzZWNyZXQ='],
    ['a username alone', {}, 'Bearer acme'],
  ])('opens with code that runs with %s: a user is answered', async (_with, secret, authorization) => {
    const replies: unknown[] = [];
    const platform = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => replies.push(JSON.parse(text)));
      request.on('end', () => response.end('{"code":200,"message":"success"}'));
    });
    await new Promise<void>((done) => platform.listen(0, '127.0.0.1', done));
    const port = await freePort();
    const token = settings.HANDOFF_TOKEN;
    // The code has no types, so that Node can run it unchanged.
    writeFileSync(join(WORK, 'opening.mjs'), opening);
    const { WEBHOOK_SECRET: _secret, ...environment } = process.env;
    const child = spawn(process.execPath, [join(WORK, 'opening.mjs')], {
      env: {
        ...environment,
        ...settings,
        ...secret,
        PORT: String(port),
        PLATFORM_BASE_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    try {
      const answer = await postWhenUp(`http://127.0.0.1:${port}/webhook/${token}/chat`, {
        conversation_id: 'c-1',
        timestamp: 1,
        body: 'hello',
      });
      expect(answer).toBe('{"code":200,"message":"success"}');
      expect(replies).toMatchObject([{ conversation_id: 'c-1', body: 'You said: hello' }]);
      const message = { conversation_id: 'c-2', message_id: 'm', output: [{ content: { text: 'Hi' } }] };
      expect(await postWhenUp(`http://127.0.0.1:${port}/webhook`, message, { authorization })).toBe(
        '{"code":200,"msg":"success"}',
      );
      await expect.poll(() => printed).toContain(`Listening on http://localhost:${port}/webhook`);
    } finally {
      await ended(child);
      platform.close();
    }
  });

  it('opens with code that passes the doctor while the simulator runs, started as it says', async () => {
    const simulator = createSimulator({ bots: [{ id: 'agent', apiKey: settings.PLATFORM_API_KEY ?? '' }] });
    onTestFinished(() => simulator.close());
    const port = await freePort();
    const token = settings.HANDOFF_TOKEN;
    const folder = readersFolder();
    const [, file = ''] = /Save it as `([^`]+)` and these settings as `\.env`/.exec(README) ?? [];
    const [, command = ''] = /Start it with `([^`]+)`/.exec(README) ?? [];
    writeFileSync(join(folder, file), opening);
    // As Compose passes a variable that is not set.
    writeFileSync(join(folder, '.env'), `${settingsText}WEBHOOK_SECRET=\n`);
    // The environment overrides the file.
    const own = { PLATFORM_BASE_URL: await simulator.listen(), PORT: String(port) };
    const child = spawn('sh', ['-c', `exec ${command}`], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...own },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => ended(child));
    const url = `http://127.0.0.1:${port}/webhook`;
    await postWhenUp(url, {});
    const message = { username: settings.WEBHOOK_USERNAME };
    const { results } = await examineReceiver({ url, token, message, handoff: {} });
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});

async function postWhenUp(
  url: string,
  body: object,
  credentials: Record<string, string> = {},
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const headers = { 'content-type': 'application/json', ...credentials };
      return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    } catch (error) {
      if (attempt === 200) throw error;
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
