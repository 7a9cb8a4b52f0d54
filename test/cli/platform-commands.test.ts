import { describe, expect, it } from 'vitest';
import { redactUrl } from '../../src/cli/commands/check.js';
import { serve } from '../helpers/serve.js';
import { botAt, NOWHERE, startReceiver, startSimulator } from '../simulator/support.js';
import { runNode } from '../standalone/program.js';
import { runCli } from './run-cli.js';

const KEY = 'the-key-of-bot-1';

async function platform(...webhooks: string[]) {
  const humanServices = webhooks.map((url, index) => ({ componentId: `desk-${index + 1}`, url }));
  const started = await startSimulator({ bots: [botAt(NOWHERE, { humanServices })] });
  return { ...started, env: { PLATFORM_BASE_URL: started.baseUrl, PLATFORM_API_KEY: KEY } };
}

describe('handoff-kit check', () => {
  it('shows which webhooks are reachable, and hides possible tokens', async () => {
    const { url } = await startReceiver();
    const { env } = await platform(`${url}/0123456789abcdef?key=k`);
    const ended = await runCli(['check'], { env });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      /^reachable {2}human_service {2}desk-1 {2}HTTP 200 {2}\d+ ms {2}http\S+\/webhook\/\*\*\*\?\*\*\*\n$/,
    );
    const shown = await runCli(['check', '--show-urls', '--json'], { env });
    expect(shown.json()).toMatchObject({
      ok: true,
      results: [{ webhook_url: `${url}/0123456789abcdef?key=k` }],
    });
  });

  it('exits with 1 when one is not reachable', async () => {
    const { url } = await startReceiver();
    const { env } = await platform(url, NOWHERE);
    const ended = await runCli(['check', '--json'], { env });
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({ ok: false, results: [{ reachable: true }, { reachable: false }] });
  });

  it('explains what is wrong with a key without showing it', async () => {
    const { baseUrl } = await platform();
    const args = ['check', '--platform-base-url', baseUrl, '--platform-api-key', 'wrong-key'];
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('it does not accept the API key');
    expect(stderr).toContain('check that the base URL is the data centre of that bot');
    expect(stderr).not.toContain('wrong-key');
  });

  it.each([
    [{}, 'PLATFORM_BASE_URL (--platform-base-url) is missing'],
    [{ PLATFORM_BASE_URL: 'https://api.example.com' }, 'PLATFORM_API_KEY (--platform-api-key) is missing'],
    [{ PLATFORM_BASE_URL: 'nonsense', PLATFORM_API_KEY: 'key-0' }, 'must be a full http or https address'],
  ])('refuses the settings %j as wrong use', async (env, complaint) => {
    const { code, stdout, stderr } = await runCli(['check'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
    expect(stderr).not.toContain('key-0');
  });
});

describe('handoff-kit health', () => {
  it('exits with 0 without a key when the platform is available', async () => {
    const { baseUrl } = await platform();
    const ended = await runCli(['health', '--platform-base-url', baseUrl, '--json']);
    expect([ended.code, ended.json()]).toMatchObject([0, { available: true, status: 200 }]);
  });

  it('exits with 1 and the reason when it is not', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(503).end();
    });
    const { code, stdout } = await runCli(['health', '--platform-base-url', url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/UNAVAILABLE: it answered with another status than 200 \(HTTP 503, \d+ ms\)/);
  });

  it('reports changes until it is stopped', async () => {
    const answers = { status: 200 };
    const { url } = await serve((_request, response) => {
      response.writeHead(answers.status).end('service is normal');
    });
    const args = ['health', '--platform-base-url', url, '--watch', '--interval', '20ms', '--json'];
    const program = runNode(['dist/cli/main.js', ...args]);
    await program.until(/"available":true/);
    answers.status = 500;
    await program.until(/"available":false/);
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
    expect(program.stdout().trim().split('\n')).toHaveLength(2);
  });
});

describe('handoff-kit reply and close', () => {
  it('send a reply to the user, and end the handoff', async () => {
    const { url } = await startReceiver();
    const { simulator, env } = await platform(url);
    const conversation = await simulator.requestHandoff();
    const flags = ['--conversation', conversation.id];
    const ended = await runCli(['reply', 'Good morning', ...flags, '--json'], { env });
    expect([ended.code, ended.json()]).toMatchObject([0, { ok: true, conversationId: conversation.id }]);
    const piped = await runCli(['reply', '-', ...flags], { env, input: 'from a file\nin two lines\n' });
    expect(piped.code).toBe(0);
    expect(conversation.replies.map(({ text }) => text)).toEqual([
      'Good morning',
      'from a file\nin two lines',
    ]);
    expect((await runCli(['close', ...flags], { env })).code).toBe(0);
    expect(conversation.state).toBe('closed');
    const late = await runCli(['reply', 'too late', ...flags], { env });
    expect([late.code, late.stdout]).toEqual([1, '']);
  });

  it.each([
    [['reply', 'hi'], "required option '--conversation <id>' not specified"],
    [['reply', '--conversation', 'c-1'], "missing required argument 'text'"],
    [['reply', '--conversation', 'c-1', ''], 'expected some text'],
    [['close'], "required option '--conversation <id>' not specified"],
  ])('refuse %j as wrong use', async (args, complaint) => {
    const env = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: KEY };
    const { code, stdout, stderr } = await runCli(args, { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
  });

  it("show the platform's own message", async () => {
    const { url } = await serve((_request, response) => {
      response.end(JSON.stringify({ code: 40_358, message: 'Conversation c-1 is of \u001b[2Jbot-2' }));
    });
    const env = { PLATFORM_BASE_URL: url, PLATFORM_API_KEY: KEY };
    const flags = ['--conversation', 'c-1'];
    for (const args of [
      ['reply', 'hi', ...flags],
      ['close', ...flags],
    ]) {
      const { code, stdout, stderr } = await runCli(args, { env });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('\nThe platform says: Conversation c-1 is of \\u001b[2Jbot-2\n');
    }
    const { stderr } = await runCli(['reply', 'hi', '--json', ...flags], { env });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'PLATFORM_REFUSED',
        platformCode: 40_358,
        platformMessage: 'Conversation c-1 is of \u001b[2Jbot-2',
        outcome: 'not-applied',
      },
    });
  });

  it('do not take the page of a proxy for success', async () => {
    const { url } = await serve((_request, response) => void response.end('<html>Log in</html>'));
    const env = { PLATFORM_BASE_URL: url, PLATFORM_API_KEY: KEY };
    for (const args of [['reply', 'hi'], ['close']]) {
      const { code, stdout, stderr } = await runCli([...args, '--conversation', 'c-1'], { env });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('Check that the base URL is the platform itself');
    }
  });

  it('exit with 1 when the platform does not answer', async () => {
    const served = await serve(() => {});
    await served.end();
    const env = { PLATFORM_BASE_URL: served.url, PLATFORM_API_KEY: KEY };
    const { code, stderr } = await runCli(['reply', 'hi', '--conversation', 'c-1', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'PLATFORM_UNREACHABLE' } });
  });
});

describe('a possible token in a URL', () => {
  it.each([
    ['https://my.host/webhook', 'https://my.host/webhook'],
    ['https://my.host/webhook/0123456789abcdef/chat', 'https://my.host/webhook/***/chat'],
    ['https://a-very-long-host-name.example.com/w?k=1', 'https://a-very-long-host-name.example.com/w?***'],
    ['https://user:pass@my.host/w#x', 'https://***@my.host/w?***'],
    ['no URL at all', 'no URL at all'],
  ])('is hidden: %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});
