import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { eventually } from '../helpers/eventually.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { freePort } from '../helpers/free-port.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { start } from '../helpers/start.js';
import { runCli, startCli } from './run-cli.js';

const AUTH = { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) };
const ENV = { WEBHOOK_USERNAME: USERNAME, WEBHOOK_SECRET: SECRET, HANDOFF_TOKEN: PATH_TOKEN };

/** A receiver that answers each message of a user. */
async function echo(baseUrl: string, words = 'You said') {
  const started = await start({ auth: AUTH, platform: { baseUrl, apiKey: API_KEY, retry: false } });
  started.receiver.on('handoff.message', async ({ text, reply }) => {
    await reply(`${words}: ${text}`);
  });
  return started;
}

async function record(flags: readonly string[] = []): Promise<string> {
  const to = join(await temporaryFolder(), 'recording.jsonl');
  const platform = await fakePlatform();
  const platformPort = await freePort();
  const receiver = await echo(`http://127.0.0.1:${platformPort}`);
  const platformFlags = [
    '--platform-base-url',
    platform.options.baseUrl,
    '--platform-port',
    String(platformPort),
  ];
  const args = ['record', '--json', '--to', to, '--receiver-url', receiver.url];
  const program = startCli([...args, ...platformFlags, ...flags]);
  await eventually(() => expect(program.stdout()).toContain('recording'));
  const { url } = JSON.parse(program.stdout().split('\n')[0] ?? '') as { url: string };
  const sent = await fetch(`${url}/${PATH_TOKEN}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(chatBody({ conversation_id: 'c-100200', body: 'Where is it?' })),
  });
  expect(sent.status).toBe(200);
  expect(platform.calls).toMatchObject([
    { authorization: `Bearer ${API_KEY}`, body: { body: 'You said: Where is it?' } },
  ]);
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
  return to;
}

async function replay(file: string, words?: string, flags: readonly string[] = []) {
  const platformPort = await freePort();
  const { url } = await echo(`http://127.0.0.1:${platformPort}`, words);
  const args = ['replay', file, '--receiver-url', url, '--platform-port', String(platformPort)];
  return runCli([...args, '--settle', '200ms', ...flags], { env: ENV });
}

describe('record and replay', () => {
  it('a recording has both directions without credentials or words, and replays with code 0', async () => {
    const file = await record();
    const text = await readFile(file, 'utf8');
    expect(text).toContain('"xxx xxxx: xxxxx xx xx?"');
    for (const secret of [PATH_TOKEN, API_KEY, 'c-100200', 'Where']) expect(text).not.toContain(secret);
    expect(await replay(file)).toMatchObject({
      code: 0,
      stdout: 'requests sent: 1, conversations: 1, replies and closes: 1. No differences.\n',
    });
  });

  it('a difference is listed, and the code is 1', async () => {
    const file = await record(['--keep-content']);
    expect(await readFile(file, 'utf8')).toContain('Where is it?');
    const { code, stdout } = await replay(file, 'You wrote');
    expect(code).toBe(1);
    expect(stdout).toContain('Differences: 1');
    expect(stdout).toContain('reply: changed');
    expect(stdout).toContain('You said: Where is it?');
    expect(stdout).toContain('You wrote: Where is it?');
    const json = await replay(file, 'You wrote', ['--json', '--speed', 'max']);
    expect(json.json()).toMatchObject({
      same: false,
      sent: 1,
      differences: [{ kind: 'changed', endpoint: 'reply' }],
    });
  });

  it('wrong use has code 2', async () => {
    const folder = await temporaryFolder();
    const noRecording = join(folder, 'other.jsonl');
    await writeFile(noRecording, '{"a":1}\n');
    const { url } = await start({ auth: { message: noAuth(), handoff: noAuth() } });
    const cases: [string[], string][] = [
      [['replay', noRecording, '--receiver-url', url], 'does not begin with'],
      [['replay', join(folder, 'missing'), '--receiver-url', url], 'cannot read'],
      [['replay', noRecording, '--receiver-url', url, '--speed', 'fast'], 'Give a factor'],
      [['replay', noRecording], 'address of the receiver is missing'],
      [['record', '--receiver-url', url], '--to'],
      [['record', '--to', join(folder, 'none', 'x'), '--receiver-url', url], 'ENOENT'],
    ];
    for (const [args, problem] of cases) {
      const { code, stderr } = await runCli(args);
      expect(stderr.toLowerCase()).toContain(problem.toLowerCase());
      expect(code, args.join(' ')).toBe(2);
    }
  });
});
