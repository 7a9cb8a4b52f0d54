import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathToken, webhookUser } from '../../src/public/index.js';
import { createSimulator } from '../../src/simulator/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { start } from '../helpers/start.js';
import { runCli } from './run-cli.js';

const CREDENTIALS = { WEBHOOK_USERNAME: USERNAME, WEBHOOK_SECRET: SECRET };

/** A receiver with the most common setup: credentials for messages, a token for handoffs. */
const guarded = () =>
  start({
    auth: {
      message: webhookUser({ username: USERNAME, secret: SECRET }),
      handoff: pathToken(PATH_TOKEN),
    },
  });

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'body.json');
  await writeFile(path, text);
  return path;
}

/** A receiver that answers everything the same way. */
const answering = (status: number, body: string, type = 'application/json') =>
  serve((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });

describe('send', () => {
  it.each([
    ['message', 'message', { conversation_id: 'c-1', message_id: 'm-1', user_id: 'u-1' }],
    ['establish', 'handoff.requested', { conversation_id: 'c-1', email: 'a@example.com', bot_id: 'a-1' }],
    ['chat', 'handoff.message', { conversation_id: 'c-1', body: 'Hello' }],
    ['close', 'handoff.closed', { conversation_id: 'c-1', type: 'TIMEOUT' }],
  ])('delivers %s with the right credentials, path and body', async (kind, event, payload) => {
    const to = await guarded();
    const flags: Record<string, string[]> = {
      message: ['--text', 'Hello', '--message-id', 'm-1', '--user', 'u-1'],
      establish: [
        '--text',
        'Hello',
        '--email',
        'a@example.com',
        '--bot',
        'a-1',
        '--handoff-token',
        PATH_TOKEN,
      ],
      chat: ['--text', 'Hello', '--handoff-token', PATH_TOKEN],
      close: ['--type', 'TIMEOUT', '--handoff-token', PATH_TOKEN],
    };
    const args = ['send', kind, '--receiver-url', to.url, '--conversation', 'c-1', ...(flags[kind] ?? [])];
    const ended = await runCli([...args, '--json'], { env: CREDENTIALS });
    expect(ended.code).toBe(0);
    expect(ended.json()).toMatchObject({ sent: kind, status: 200, ok: true, deviations: [] });
    expect(to.seen).toMatchObject([{ event, payload }]);
    expect(ended.stdout + ended.stderr).not.toMatch(new RegExp(`${SECRET}|${PATH_TOKEN}`));
  });

  it.each([
    [[], { WEBHOOK_USERNAME: USERNAME, WEBHOOK_SECRET: SECRET }],
    [['--at', 'handoff'], { HANDOFF_TOKEN: PATH_TOKEN }],
    [['--at', 'chat', '--handoff-token', PATH_TOKEN], {}],
  ])('delivers a probe %j that reaches no handler', async (args, env) => {
    const to = await guarded();
    const { code } = await runCli(['send', 'probe', '--receiver-url', to.url, ...args], { env });
    expect(code).toBe(0);
    expect(to.seen).toMatchObject([{ event: 'probe' }]);
  });

  it('sends credentials to handoff endpoints with --handoff-auth', async () => {
    const to = await start({
      auth: { message: webhookUser({ username: USERNAME }), handoff: webhookUser({ username: USERNAME }) },
    });
    const args = ['send', 'chat', '--receiver-url', to.url, '--webhook-username', USERNAME];
    expect((await runCli(args)).code).toBe(1);
    expect((await runCli([...args, '--handoff-auth', 'webhook'])).code).toBe(0);
  });

  it.each(['chat', 'establish'])(
    'says of a %s that fails that a reply may be the cause, and why',
    async (kind) => {
      const { url } = await answering(500, '{"code":500,"message":"handler failed"}');
      const { code, stdout } = await runCli(['send', kind, '--receiver-url', url]);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /note: a handler that replies before the answer fails if the platform .* does not know/,
      );
      expect((await runCli(['send', 'close', '--receiver-url', url])).stdout).not.toContain('note:');
    },
  );

  it('reaches a receiver that replies before the answer, while the simulator runs', async () => {
    const simulator = createSimulator({ bots: [{ id: 'bot', apiKey: 'key' }] });
    onTestFinished(() => simulator.close());
    const to = await start({ platform: { baseUrl: await simulator.listen(), apiKey: 'key' } });
    to.receiver.on('handoff.message', async ({ text, reply }) => {
      await reply(`You said: ${text}`);
    });
    expect((await runCli(['send', 'chat', '--receiver-url', to.url])).code).toBe(0);
    expect((await runCli(['send', 'chat', '--receiver-url', to.url, '--conversation', 'c-1'])).code).toBe(1);
  });

  it('says that the token is in the path, and what is missing', async () => {
    const to = await guarded();
    const args = ['send', 'establish', '--receiver-url', to.url];
    const shown = async (...more: string[]) => (await runCli([...args, ...more])).stdout;
    expect(await shown('--handoff-token', PATH_TOKEN)).toContain('(establish, token in the path)');
    expect(await shown()).toContain('(establish, no credentials)');
  });

  it.each([
    ['message', [], 'no credentials. Compare --webhook-username and --webhook-secret'],
    ['message', ['--webhook-username', 'u'], 'these credentials: Authorization: Bearer. Compare --webhook'],
    [
      'message',
      ['--webhook-username', 'u', '--webhook-secret', 's'],
      'these credentials: Authorization: Basic. Compare',
    ],
    ['chat', [], 'no credentials. Compare --handoff-token and --handoff-auth'],
    ['chat', ['--handoff-token', 'another-token-of-mine'], 'these credentials: token in the path. Compare'],
  ])('says what was refused: %s %j', async (kind, flags, sent) => {
    const { url } = await answering(401, '{}');
    const { code, stdout } = await runCli(['send', kind, '--receiver-url', url, ...flags]);
    expect(code).toBe(1);
    expect(stdout).toContain(`note: the request had ${sent}`);
  });

  it('hides a short token in the path', async () => {
    const { url } = await answering(200, '{"code":200,"message":"ok"}');
    const { stdout } = await runCli(['send', 'chat', '--receiver-url', url, '--handoff-token', 'xyz']);
    expect(stdout).toContain(`POST ${url}/***/chat `);
  });

  it.each([
    ['bearer', '--handoff-auth (HANDOFF_AUTH) is bearer, which needs a token'],
    ['webhook', '--handoff-auth (HANDOFF_AUTH) is webhook, which needs the credentials of messages'],
  ])('names the variable that asks for credentials: %s', async (HANDOFF_AUTH, complaint) => {
    const args = ['send', 'chat', '--receiver-url', 'http://127.0.0.1'];
    const { code, stderr } = await runCli(args, { env: { HANDOFF_AUTH } });
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });

  it('gives up after --timeout', async () => {
    const { url } = await serve(() => {});
    const { code, stdout } = await runCli(['send', 'chat', '--receiver-url', url, '--timeout', '50ms']);
    expect(code).toBe(1);
    expect(stdout).toContain('no answer: ');
  });

  it('sends the username alone where the secret is empty', async () => {
    const to = await start({ auth: { message: webhookUser({ username: USERNAME }), handoff: false } });
    const env = { WEBHOOK_USERNAME: USERNAME, WEBHOOK_SECRET: '' };
    expect((await runCli(['send', 'message', '--receiver-url', to.url], { env })).code).toBe(0);
  });

  it('takes a body from a file, and from standard input', async () => {
    const to = await start();
    const file = await fileOf(JSON.stringify(chatBody({ conversation_id: 'from-file' })));
    const args = ['send', 'chat', '--receiver-url', to.url, '--body'];
    expect((await runCli([...args, file])).code).toBe(0);
    const input = JSON.stringify(chatBody({ conversation_id: 'from-input' }));
    expect((await runCli([...args, '-'], { input })).code).toBe(0);
    expect(to.seen).toMatchObject([{ conversationId: 'from-file' }, { conversationId: 'from-input' }]);
  });

  it('sends to the path of --path', async () => {
    const to = await start({ paths: { handoff: '/human' } });
    expect((await runCli(['send', 'chat', '--receiver-url', to.url, '--path', '/human/chat'])).code).toBe(0);
  });

  it.each<[string, string, () => ReturnType<typeof answering>, RegExp]>([
    [
      'another status',
      'message',
      () => answering(201, '{"code":200,"msg":"success"}'),
      /HTTP 201, expected 200/,
    ],
    [
      'a body with message for msg',
      'message',
      () => answering(200, '{"code":200,"message":"success"}'),
      /msg is missing/,
    ],
    [
      'a code as text',
      'message',
      () => answering(200, '{"code":"200","msg":"success"}'),
      /code is text, expected the number 200/,
    ],
    ['a wrong path', 'chat', () => answering(404, '{}'), /HTTP 404.*check the path of --receiver-url/],
    ['no JSON', 'chat', () => answering(200, 'OK'), /not a JSON object/],
  ])('reports %s', async (_what, kind, receiver, problem) => {
    const { url } = await receiver();
    const { code, stdout, stderr } = await runCli(['send', kind, '--receiver-url', url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(problem);
    expect(stdout).toContain('not what the specification asks for');
    expect(stdout).not.toContain('\u001B');
    expect(stderr).toBe('');
  });

  it('notes another content type, which the specification leaves open', async () => {
    const { url } = await answering(200, '{"code":200,"message":"ok"}', 'text/html');
    const { code, stdout } = await runCli(['send', 'chat', '--receiver-url', url]);
    expect(code).toBe(0);
    expect(stdout).toContain('note: the content-type is not application/json');
  });

  it('reports that there is no answer', async () => {
    const served = await answering(200, '');
    await served.end();
    const ended = await runCli(['send', 'message', '--receiver-url', served.url, '--json']);
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({
      status: null,
      deviations: [expect.stringContaining('nothing listens')],
    });
  });

  it('escapes control characters of an answer, and hides secrets in it', async () => {
    const { url } = await answering(200, `\u001B[2J${SECRET}`);
    const args = [
      'send',
      'message',
      '--receiver-url',
      url,
      '--webhook-username',
      'u',
      '--webhook-secret',
      SECRET,
    ];
    const { stdout } = await runCli(args);
    expect(stdout).toContain('\\u001b[2J***');
    expect(stdout).not.toContain('\u001B');
  });

  it.each([
    [['send', 'chat'], 'Give --receiver-url, or set RECEIVER_URL in the environment or in .env'],
    [['doctor'], 'Give --receiver-url, or set RECEIVER_URL'],
    [['simulate'], 'Give --receiver-url, or set RECEIVER_URL'],
    [['send', 'chat', '--receiver-url', 'nonsense'], 'http or https URL'],
    [['send', 'chat', '--receiver-url', 'http://u:p@127.0.0.1'], 'not in the URL'],
    [
      ['send', 'chat', '--receiver-url', 'http://127.0.0.1', '--body', 'x.json', '--text', 'x'],
      'cannot be used with',
    ],
    [
      ['send', 'chat', '--receiver-url', 'http://127.0.0.1', '--body', 'no-such.json'],
      'Cannot read no-such.json (ENOENT)',
    ],
    [['send', 'chat', '--receiver-url', 'http://127.0.0.1', '--body', '-'], 'Standard input is not JSON'],
    [
      ['send', 'chat', '--receiver-url', 'http://127.0.0.1', '--webhook-secret', 'secret-0'],
      'Give --webhook-username',
    ],
    [
      ['send', 'chat', '--receiver-url', 'http://127.0.0.1', '--handoff-auth', 'secret-0'],
      '--handoff-auth (HANDOFF_AUTH) must be one of path, bearer, webhook',
    ],
    [
      ['send', 'close', '--receiver-url', 'http://127.0.0.1', '--type', 'BORED'],
      'Allowed choices are TIMEOUT',
    ],
    [['send', 'nonsense'], "unknown command 'nonsense'"],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
    expect(stderr).not.toContain('secret-0');
  });

  it('sends nothing that is not well-formed', async () => {
    const to = await start();
    const ended = await runCli(['send', 'chat', '--receiver-url', to.url, '--body', '-'], {
      input: '{"body":5}',
    });
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain('not well-formed for chat: conversation_id');
    expect(to.seen).toEqual([]);
  });

  it('explains each kind in its help', async () => {
    const { code, stdout } = await runCli(['send', 'establish', '--help']);
    expect(code).toBe(0);
    for (const word of ['--conversation', '--handoff-auth', 'Example:', 'Exit codes:'])
      expect(stdout).toContain(word);
  });
});
