import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { NOWHERE, type Received, startReceiver } from '../simulator/support.js';
import { temporaryFolder } from '../standalone/databases.js';
import { addressOf, post, type RunningProgram, runNode } from '../standalone/program.js';
import { startCli } from './run-cli.js';

const runSimulate = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProgram =>
  startCli(['simulate', ...args], { env });

const CREDENTIALS = [
  '--webhook-username',
  USERNAME,
  '--webhook-secret',
  SECRET,
  '--handoff-token',
  PATH_TOKEN,
];

async function listening(program: RunningProgram) {
  await addressOf(program);
  const [line = ''] = program.stdout().split('\n');
  const opening: {
    url: string;
    environment: string;
    handoffsUrl: string;
    probes: Record<string, unknown>[];
  } = JSON.parse(line);
  const [, baseUrl = '', apiKey = ''] =
    /^PLATFORM_BASE_URL=(\S+) PLATFORM_API_KEY=(\S+)$/.exec(opening.environment) ?? [];
  return { ...opening, baseUrl, apiKey };
}

const headersOf = (received: readonly Received[]) =>
  received.map(({ path, headers }) => `${path} ${headers.authorization ?? 'nothing'}`).sort();

describe('simulate', () => {
  it('plays the platform for a receiver that uses the printed settings', async () => {
    const { url, received } = await startReceiver();
    const args = ['simulate', '--receiver-url', url, ...CREDENTIALS, '--json'];
    const program = runNode(['dist/cli/main.js', ...args]);
    const { baseUrl, apiKey, handoffsUrl, probes } = await listening(program);
    expect(handoffsUrl).toBe(`${url}/<token>`);
    expect(probes).toEqual([
      expect.objectContaining({ webhook: 'messages', reachable: true, status: 200, advice: null }),
      expect.objectContaining({ webhook: 'handoffs', reachable: true, status: 200, advice: null }),
    ]);
    expect(headersOf(received)).toEqual([
      `/webhook ${basicHeader(USERNAME, SECRET)}`,
      `/webhook/${PATH_TOKEN} nothing`,
    ]);

    await post(`${baseUrl}/simulator/handoff`, {});
    const establish = received.at(-1);
    expect(establish?.path).toBe(`/webhook/${PATH_TOKEN}/conversation/establish`);
    const reply = { conversation_id: establish?.body.conversation_id, timestamp: 1, body: 'Hello' };
    const key = { authorization: `Bearer ${apiKey}` };
    expect((await post(`${baseUrl}/v1/human/message/receive`, reply, key)).status).toBe(200);
    await program.until(/"event":"reply","about":"Hello"/);
    expect(await (await fetch(`${baseUrl}/openapi.json`)).json()).toHaveProperty('paths');

    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
    for (const secret of [SECRET, PATH_TOKEN]) expect(program.stdout()).not.toContain(secret);
    expect(program.stderr()).toBe('');
  });

  it('plays the bots of a config file, each with its own credentials and key', async () => {
    const { url, received } = await startReceiver();
    const bots = {
      sales: {
        webhookUsername: USERNAME,
        webhookSecret: SECRET,
        handoffToken: PATH_TOKEN,
        platformApiKey: 'key-1',
      },
      support: { WEBHOOK_USERNAME: 'support', HANDOFF_AUTH: 'webhook', PLATFORM_API_KEY: 'key-2' },
    };
    const file = join(temporaryFolder(), 'handoff.json');
    writeFileSync(file, JSON.stringify({ bots }));
    const program = runSimulate(['--receiver-url', url, '--config', file, '--json']);
    await addressOf(program);
    const [line = ''] = program.stdout().split('\n');
    const opening: { url: string; probes: { url: string; reachable: boolean }[] } = JSON.parse(line);
    expect(opening.probes.map((probe) => `${probe.url} ${probe.reachable}`)).toEqual([
      `${url}/sales true`,
      `${url}/sales/<token> true`,
      `${url}/support true`,
      `${url}/support true`,
    ]);
    expect(headersOf(received)).toEqual(
      [
        `/webhook/sales ${basicHeader(USERNAME, SECRET)}`,
        `/webhook/sales/${PATH_TOKEN} nothing`,
        '/webhook/support Bearer support',
        '/webhook/support Bearer support',
      ].toSorted(),
    );
    await post(`${opening.url}/simulator/handoff`, { botId: 'support', componentId: 'desk' });
    const conversation_id = received.at(-1)?.body.conversation_id;
    const reply = { conversation_id, timestamp: 1, body: 'Hello' };
    const receive = `${opening.url}/v1/human/message/receive`;
    expect((await post(receive, reply, { authorization: 'Bearer key-2' })).status).toBe(200);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
    for (const secret of [SECRET, PATH_TOKEN, 'key-2']) expect(program.stdout()).not.toContain(secret);
  });

  it.each([
    ['', '/conversation/establish'],
    ['/webhook/', '/webhook//conversation/establish'],
  ])('appends paths to the URL as it was typed: "%s"', async (typed, path) => {
    const { origin, paths } = await startReceiver();
    const program = runSimulate(['--receiver-url', origin + typed, '--json']);
    const { baseUrl } = await listening(program);
    await post(`${baseUrl}/simulator/handoff`, {});
    expect(paths().at(-1)).toBe(path);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('takes credentials from the environment, and does not print the given key', async () => {
    const { url, received } = await startReceiver();
    const key = 'a-key-of-my-own';
    const env = { WEBHOOK_USERNAME: USERNAME, HANDOFF_USERNAME: 'desk', HANDOFF_SECRET: SECRET };
    const program = runSimulate(['--receiver-url', `${url}/`, '--json'], { ...env, PLATFORM_API_KEY: key });
    const { baseUrl, apiKey } = await listening(program);
    expect(apiKey).toBe('…');
    const headers = { authorization: `Bearer ${key}` };
    const check = await fetch(`${baseUrl}/v1/webhook/check`, { method: 'POST', headers });
    expect(check.status).toBe(200);
    expect(headersOf(received.slice(0, 2))).toEqual([
      `/webhook/ ${basicHeader('desk', SECRET)}`,
      `/webhook/ Bearer ${USERNAME}`,
    ]);
    expect(program.stdout()).not.toContain(key);
  });

  it('prints the URL of its page and the settings for the receiver', async () => {
    const { url } = await startReceiver();
    const program = runSimulate(['--receiver-url', url]);
    await program.until(/→ the platform sends/);
    expect(program.stdout()).toMatch(/Open http:\/\/127\.0\.0\.1:\d+ in a browser/);
    expect(program.stdout()).toMatch(/^ +PLATFORM_BASE_URL=http:\/\/\S+ PLATFORM_API_KEY=[0-9a-f]{48}$/m);
    expect(program.stdout().match(/answers 200 in \d+ ms/g)).toHaveLength(2);
  });

  it.each([
    [302, 'it redirects', 'it redirects'],
    [400, '"istest": true', '"istest": true'],
    [401, 'compare --webhook-username and --webhook-secret', 'wants a --handoff-token'],
    [404, 'check --receiver-url.', 'check --receiver-url and --handoff-token.'],
    [500, "the receiver's own log", "the receiver's own log"],
  ])('gives advice when the receiver answers %i', async (status, messages, handoffs) => {
    const { url } = await startReceiver((_received, response) => {
      response.statusCode = status;
      response.end();
    });
    const program = runSimulate(['--receiver-url', url, '--json']);
    const { probes } = await listening(program);
    expect(probes).toEqual([
      expect.objectContaining({ reachable: false, status, advice: expect.stringContaining(messages) }),
      expect.objectContaining({ reachable: false, status, advice: expect.stringContaining(handoffs) }),
    ]);
  });

  it('starts when the receiver does not answer, and reports it', async () => {
    const program = runSimulate(['--receiver-url', NOWHERE]);
    await program.until(/no: no answer\n +Connection refused: nothing listens there\. Start the receiver/);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it.each([
    ['a long segment', [], `/${PATH_TOKEN}`, '/<token>', '/<token>'],
    ['the given token', ['--handoff-token', 'short'], '/short', '/<token>', '/<token>/<token>'],
    ['a query', [], '?key=sEcret&more=sEcret', '?key=***&more=***', '?key=***&more=***'],
  ])('does not print a token in --receiver-url: %s', async (_what, flags, end, messages, handoffs) => {
    const { url } = await startReceiver();
    const program = runSimulate(['--receiver-url', url + end, ...flags, '--json']);
    const { probes } = await listening(program);
    expect(probes.map((probe) => probe.url)).toEqual([url + messages, url + handoffs]);
    for (const secret of [PATH_TOKEN, '/short', 'sEcret']) expect(program.stdout()).not.toContain(secret);
  });

  it('says that its port is in use', async () => {
    const { url } = await startReceiver();
    const program = runSimulate(['--receiver-url', url, '--port', new URL(url).port]);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/: the port is in use already\. Choose another port/);
  });

  it('ends a handoff without a reply after the wait timeout', async () => {
    const { url, received } = await startReceiver();
    const program = runSimulate(['--receiver-url', url, '--wait-timeout', '50ms', '--json']);
    await post(`${await addressOf(program)}/simulator/handoff`, {});
    await program.until(/"event":"close","about":"TIMEOUT"/);
    expect(received.at(-1)?.body.type).toBe('TIMEOUT');
  });

  it.each([
    [[], 'Give --receiver-url, or set RECEIVER_URL'],
    [['--receiver-url', 'localhost:3000'], 'Give an http or https URL'],
    [['--receiver-url', 'http://me:secret@127.0.0.1/'], 'not in the URL'],
    [['--receiver-url', NOWHERE, '--webhook-secret', 'x'], 'Give --webhook-username, too'],
    [['--receiver-url', NOWHERE, '--handoff-secret', 'x'], 'Give --handoff-username, too'],
    [['--receiver-url', NOWHERE, '--handoff-token', 'x', '--handoff-username', 'y'], 'cannot be used with'],
    [['--receiver-url', NOWHERE, '--wait-timeout', '60'], 'such as 60s or 500ms'],
    [['--receiver-url', NOWHERE, '--wait-timeout', '0s'], 'such as 60s or 500ms'],
    [['--receiver-url', NOWHERE, '--webhook-username', ''], 'username'],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const program = runSimulate(args);
    expect(await program.ended).toBe(2);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toContain(complaint);
  });

  it('explains itself in its help', async () => {
    const program = runSimulate(['--help']);
    expect(await program.ended).toBe(0);
    for (const part of ['--receiver-url', '(env: WEBHOOK_SECRET)', 'Examples:', 'Exit codes:']) {
      expect(program.stdout().replace(/\s+/g, ' ')).toContain(part);
    }
  });
});
