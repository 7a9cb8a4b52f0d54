import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasConsent } from '../../src/cli/commands/doctor.js';
import { bearer } from '../../src/public/index.js';
import { startWrongReceiver } from '../fixtures/wrong-receiver.js';
import type { Mistake } from '../fixtures/wrong-receiver-mistakes.js';
import { BEARER_TOKEN } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { start } from '../helpers/start.js';
import { runNode } from '../standalone/program.js';
import { runCli } from './run-cli.js';

const ELSEWHERE = { url: 'https://desk.example.com/webhook', message: {}, handoff: {} };

const terminal = (answer: string, isTTY = true) => {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.write(`${answer}\n`);
  return { input, output };
};

async function doctorOf(mistakes: readonly Mistake[], ...more: string[]) {
  const { target, end } = await startWrongReceiver(mistakes);
  onTestFinished(end);
  const { username = '', secret = '' } = target.message;
  const env = { WEBHOOK_USERNAME: username, WEBHOOK_SECRET: secret, HANDOFF_TOKEN: target.token ?? '' };
  const ended = await runCli(['doctor', '--receiver-url', target.url, ...more], { env });
  expect(ended.stdout + ended.stderr).not.toContain(secret);
  expect(ended.stdout + ended.stderr).not.toContain(target.token);
  return ended;
}

/** The address of a server that has stopped. */
async function closedPort(): Promise<string> {
  const served = await serve(() => {});
  await served.end();
  return `${served.url}/webhook`;
}

const wrongPath = async (): Promise<string> => `${(await start()).url}/wrong`;

describe('handoff-kit doctor', () => {
  it('exits with 0 for a correct receiver, and announces what it sends', async () => {
    const { url, seen } = await start();
    const ended = await runCli(['doctor', '--receiver-url', url, '--oversize', '1mb', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.json()).toMatchObject({ url: `${url}/`, ok: true, counts: { fail: 0 }, leftOpen: [] });
    expect(ended.stderr).toContain('sends real events');
    expect(ended.stderr).toContain('begin with "doctor-"');
    expect(seen.length).toBeGreaterThan(50);
  });

  it('shows a table with advice for failed checks, without colours, and exits with 1', async () => {
    const { code, stdout } = await doctorOf(['msg-misspelt', 'token-not-compared']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pass {4}message\.accepted +answers a bot message/m);
    expect(stdout).toMatch(
      /^FAIL {4}message\.body .*\n +✘ message: msg is missing.*\n +→ Answer messages with/m,
    );
    expect(stdout).toMatch(/^n\/a +transport .*\n +not testable: the receiver runs on this machine/m);
    expect(stdout).toMatch(/^\d+ passed, 3 failed, 0 with advice, \d+ not testable; \d+ requests\.$/m);
    expect(stdout).not.toContain('\u001B');
  });

  it('exits with 0 when there is only advice, and shows it as such', async () => {
    const { code, stdout } = await doctorOf(['any-path', 'html-type']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^advice {2}path .*\n +• message: an unknown path: HTTP 200.*\n +→ Answer unknown/m,
    );
    expect(stdout).toMatch(/^\d+ passed, 0 failed, 2 with advice, \d+ not testable; \d+ requests\.$/m);
    const json = await doctorOf(['any-path', 'html-type'], '--json');
    expect(json.code).toBe(0);
    expect(json.json()).toMatchObject({ ok: true, counts: { fail: 0, advice: 2 } });
  });

  it('tests one group', async () => {
    const ended = await doctorOf(['msg-misspelt'], '--only', 'handoff');
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toContain('message.accepted');
  });

  it.each<[string, () => Promise<string>, RegExp, RegExp]>([
    [
      'a closed port',
      closedPort,
      /✘ no answer: connection refused/,
      /→ Start the receiver, or correct the host/,
    ],
    ['a wrong path', wrongPath, /✘ HTTP 404 to every request/, /→ Correct the path of --receiver-url/],
  ])('says once what is wrong with %s, and runs no other check', async (_what, address, problem, advice) => {
    const url = await address();
    const { code, stdout } = await runCli(['doctor', '--receiver-url', url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(problem);
    expect(stdout).toMatch(advice);
    expect(stdout).toMatch(/^0 passed, 1 failed, 0 with advice, 0 not testable; \d+ requests\.$/m);
    expect(stdout).not.toContain('business hours');
    const json = await runCli(['doctor', '--receiver-url', url, '--json']);
    expect(json.json()).toMatchObject({ ok: false, counts: { fail: 1 }, results: [{ id: 'reachable' }] });
  });

  it('names the token in the advice for each handoff endpoint that refuses it', async () => {
    const { url } = await start({ auth: { message: false, handoff: bearer(BEARER_TOKEN) } });
    const { code, json } = await runCli(['doctor', '--receiver-url', url, '--json']);
    expect(code).toBe(1);
    const { results } = json() as { results: { id: string; verdict: string; advice: string }[] };
    for (const id of ['establish.accepted', 'chat.accepted', 'close.accepted']) {
      const result = results.find((each) => each.id === id);
      expect(result).toMatchObject({ verdict: 'fail', advice: expect.stringContaining('--handoff-token') });
    }
  });

  it('closes the handoffs that it opened when it is stopped', async () => {
    const { url, seen } = await start();
    const program = runNode(['dist/cli/main.js', 'doctor', '--receiver-url', url]);
    await program.until(/close\.accepted/);
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('Stopped before everything was tested.');
    const idsOf = (event: string) =>
      seen.flatMap((context) =>
        context.event === event && 'conversationId' in context ? [context.conversationId] : [],
      );
    expect(new Set(idsOf('handoff.closed'))).toEqual(new Set(idsOf('handoff.requested')));
  });

  it('asks before it sends to another machine', async () => {
    const { code, stdout, stderr } = await runCli([
      'doctor',
      '--receiver-url',
      'https://desk.example.com/webhook',
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Give --yes');
  });

  it.each([
    ['y', true],
    ['yes', true],
    ['n', false],
    ['', false],
  ])('takes the answer %j at the terminal as %j', async (answer, consent) => {
    expect(await hasConsent(ELSEWHERE, false, terminal(answer))).toBe(consent);
  });

  it('does not ask with --yes, nor on this machine', async () => {
    const noTerminal = terminal('n', false);
    expect(await hasConsent(ELSEWHERE, true, noTerminal)).toBe(true);
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'app.localhost']) {
      expect(await hasConsent({ ...ELSEWHERE, url: `http://${host}:3000/` }, false, noTerminal)).toBe(true);
    }
    const mixed = { ...ELSEWHERE, url: 'http://localhost/', handoffUrl: ELSEWHERE.url };
    await expect(hasConsent(mixed, false, noTerminal)).rejects.toThrow('Give --yes');
  });

  it.each([
    [['doctor'], 'Give --receiver-url, or set RECEIVER_URL'],
    [['doctor', '--receiver-url', 'http://127.0.0.1', '--oversize', '1'], 'Give a size'],
    [['doctor', '--receiver-url', 'http://127.0.0.1', '--timeout', '5'], 'Give a time with its unit'],
    [
      ['doctor', '--receiver-url', 'http://127.0.0.1', '--only', 'all'],
      'Allowed choices are message, handoff',
    ],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
  });
});
