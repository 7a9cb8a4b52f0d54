import { describe, expect, it, onTestFinished } from 'vitest';
import { playScript } from '../../src/cli/demo/play-script.js';
import { startDemo } from '../../src/cli/demo/server.js';
import { createLog } from '../../src/internal/create-log.js';
import type { Simulator } from '../../src/simulator/index.js';
import { addressOf, post, type RunningProgram, runNode } from '../standalone/program.js';
import { startCli } from './run-cli.js';

const ENV = { FORCE_COLOR: '1' };
const runDemo = (...args: string[]): RunningProgram => startCli(['demo', ...args], { env: ENV });
const runDemoProcess = (...args: string[]): RunningProgram =>
  runNode(['dist/cli/main.js', 'demo', ...args], ENV);

const jsonLines = (program: RunningProgram): Record<string, unknown>[] =>
  program
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const STEPS =
  'bot message, establish, first reply, chat, reply, close, establish, first reply, chat, reply, agent close'.split(
    ', ',
  );

describe('demo --script', () => {
  it('plays a handoff from beginning to end as a transcript', async () => {
    const program = runDemoProcess('--script');
    expect(await program.ended).toBe(0);
    expect(program.stderr()).toBe('');
    const transcript = program.stdout();
    const steps = transcript.matchAll(/^ ?\d+ {2}(\w+(?: \w+)*) {2,}\S/gm);
    expect(Array.from(steps, ([, name]) => name)).toEqual(STEPS);
    expect(transcript).toMatch(/→ POST \/webhook\/…\/conversation\/establish +200 /);
    expect(transcript).toMatch(/← POST \/v1\/human\/message\/receive +200 /);
    expect(transcript).toMatch(/→ POST \/webhook\/…\/chat +200 /);
    expect(transcript).toMatch(/→ POST \/webhook\/…\/conversation\/close +200 /);
    expect(transcript).toMatch(/← POST \/v1\/human\/close +200 /);
    expect(transcript).toContain('Done: 11 steps, 15 requests, every one answered 200.');
    expect(transcript).not.toContain('\u001b');
  });

  it('prints one JSON object per step with --json', async () => {
    const program = runDemo('--script', '--json');
    expect(await program.ended).toBe(0);
    const lines = jsonLines(program);
    expect(lines.slice(0, -1).map(({ name }) => name)).toEqual(STEPS);
    expect(lines.at(-1)).toEqual({ ok: true, steps: 11, requests: 15, problems: [] });
    expect(lines[3]).toMatchObject({
      step: 4,
      said: [{ who: 'Customer', text: 'My parcel is late. Where is it?' }],
      exchanges: [
        {
          direction: 'sent',
          event: 'chat',
          request: { method: 'POST', body: { body: 'My parcel is late. Where is it?' } },
          answer: { status: 200, body: { code: 200, message: 'success' } },
        },
      ],
    });
  });

  it.each([
    ['a wrong credential', 'bot message', (platform: Simulator) => platform.faults.set('wrongCredentials')],
    [
      'a lost request',
      'establish',
      (platform: Simulator) => platform.faults.set('drop', { on: ['establish'] }),
    ],
    [
      'a reply that fails',
      'chat',
      (platform: Simulator) => platform.customer.onLine(failRepliesAfter(platform)),
    ],
    ['a lost close', 'close', (platform: Simulator) => platform.faults.set('drop', { on: ['close'] })],
    ['a copy too many', 'chat', (platform: Simulator) => platform.faults.set('duplicate', { on: ['chat'] })],
  ])('reports %s at the step %s', async (_name, step, spoil) => {
    const demo = await startDemo({ port: 0, automatic: true, log: createLog({ level: 'silent' }) });
    onTestFinished(() => demo.close());
    spoil(demo.simulator);
    const steps: string[] = [];
    const played = await playScript(demo, ({ name }) => steps.push(name));
    expect(played).toMatchObject({ ok: false, problems: [expect.any(String)] });
    expect(steps.at(-1)).toBe(step);
  });
});

/** The platform fails after the first reply. */
const failRepliesAfter =
  ({ faults }: Simulator) =>
  ({ from }: { from: string }): void => {
    if (from === 'agent') faults.set('answerError');
  };

describe('demo --automatic', () => {
  it('prints the URL of its page, and each event with its request and answer', async () => {
    const program = runDemoProcess('--automatic');
    const [, url = ''] = await program.until(/Open (http:\/\/127\.0\.0\.1:\d+) in a browser/);
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
    expect(await (await fetch(`${url}/openapi.json`)).json()).toHaveProperty('webhooks');
    await post(`${url}/simulator/say`, { text: 'How long\u001b[2J?' });
    await post(`${url}/simulator/handoff`, {});
    await program.until(/← reply +Hello! I stand in for a human.*\n.*\n +200 /);
    expect(program.stdout()).toMatch(
      /→ establish +2 earlier messages\n +POST \/webhook\/…\/conversation\/establish {2}\{"conversation_id.*\n +200 {2}\{"code":200,"message":"success"\} {2}\d+ ms\n/,
    );
    expect(program.stdout()).not.toContain('\u001b');
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
    expect(program.stdout()).toMatch(/\nSIGINT: stopped\.\n$/);
    expect(program.stderr()).toBe('');
  });

  it('prints JSON in the order in which requests began', async () => {
    const program = runDemo('--automatic', '--json');
    const url = await addressOf(program);
    await post(`${url}/simulator/handoff`, {});
    await program.until(/"event":"message"/);
    await post(`${url}/simulator/say`, { text: 'bye' });
    await program.until(/"event":"agent close"/);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    const lines = jsonLines(program);
    expect(lines[0]).toMatchObject({ status: 'listening', url, openapi: `${url}/openapi.json` });
    const events = lines.flatMap(({ event }) => (typeof event === 'string' ? [event] : []));
    expect(events.slice(0, 5)).toEqual(['establish', 'reply', 'message', 'chat', 'reply']);
    expect(lines.at(-1)).toEqual({ status: 'stopped', signal: 'SIGTERM' });
  });

  it('shows the effect of a fault that was switched on', async () => {
    const program = runDemo('--automatic');
    const [, url = ''] = await program.until(/Open (\S+) in a browser/);
    await post(`${url}/simulator/handoff`, {});
    await program.until(/→ message/);
    await post(`${url}/simulator/faults`, { kind: 'answerError', on: true });
    await post(`${url}/simulator/say`, { text: 'hello' });
    await program.until(/→ chat .*\n.*\n +500 /);
    await program.until(/← reply .*fault: answerError\n/);
    expect(program.stderr()).toContain('handling an event failed');
  });

  it('listens on the port of --port', async () => {
    const first = runDemoProcess('--automatic', '--json');
    const { port } = new URL(await addressOf(first));
    const second = runDemo('--automatic', '--port', port);
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain(`Cannot listen on 127.0.0.1:${port}`);
    first.signal('SIGINT');
    await first.ended;
    const third = runDemoProcess('--automatic', '--json', '--port', port);
    expect(await addressOf(third)).toBe(`http://127.0.0.1:${port}`);
  });

  it.each([['--port', 'x'], ['--port', '70000'], ['--prot'], ['more']])('refuses %s %s', async (...args) => {
    const program = runDemo(...args);
    expect(await program.ended).toBe(2);
    expect(program.stdout()).toBe('');
  });

  it('explains itself in its help', async () => {
    const program = runDemo('--help');
    expect(await program.ended).toBe(0);
    for (const part of ['--script', '--port', '--json', 'Examples:', 'Exit codes:']) {
      expect(program.stdout()).toContain(part);
    }
  });
});
