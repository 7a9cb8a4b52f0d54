import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientOf, cookieOf, eventually, listen } from '../desk/agent-client.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { addressOf, post, runNode } from '../standalone/program.js';
import { startCli } from './run-cli.js';

/** Starts the demo with its desk. */
async function startDemo(...args: readonly string[]) {
  const program = startCli(['demo', '--json', ...args]);
  return { program, origin: await addressOf(program) };
}

/** Opens the desk as a browser does; the answer has the cookie of a session. */
const openDesk = (origin: string, path = '/desk/') => fetch(`${origin}${path}`);

/** An agent at the demo's desk. */
const enter = async (origin: string) => clientOf(origin, cookieOf(await openDesk(origin)));

/** The status of an answer, and whether it started a session. `fetch` would not send these headers. */
const ask = (url: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ status: number | undefined; hasSession: boolean }>((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, hasSession: response.headers['set-cookie'] !== undefined });
    })
      .on('error', reject)
      .end();
  });

describe('the demo with the desk', () => {
  it('has one page for both sides, which no other site can frame', async () => {
    const { origin } = await startDemo();
    const page = await fetch(origin);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(await page.text()).toContain('Ask for a human');
    expect((await fetch(`${origin}/platform/`)).status).toBe(200);
    const desk = await openDesk(origin);
    expect(desk.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  });

  it('carries a handoff from the customer to the desk and back', async () => {
    const { program, origin } = await startDemo();
    const agent = await enter(origin);
    await post(`${origin}/platform/simulator/handoff`, {});
    const [waiting] = await eventually(async () => {
      const { conversations } = await agent.state();
      expect(conversations).toHaveLength(1);
      return conversations;
    });
    await agent.say(waiting?.id ?? '', 'Hello from the desk');
    await program.until(/"direction":"received","event":"reply","about":"Hello from the desk"/);
    await agent.act(waiting?.id ?? '', 'close', {});
    await program.until(/"event":"agent close"/);
  });

  it('has two bots on request, whose conversations the desk tells apart', async () => {
    const { program, origin } = await startDemo('--bots', '2');
    const agent = await enter(origin);
    expect((await agent.state()).bots).toEqual(['sales', 'support']);
    await post(`${origin}/platform/simulator/handoff`, { botId: 'support', componentId: 'demo-desk' });
    const [waiting] = await eventually(async () => {
      const { conversations } = await agent.state();
      expect(conversations).toMatchObject([{ bot: 'support' }]);
      return conversations;
    });
    await agent.say(waiting?.id ?? '', 'Hello from support');
    await program.until(/"direction":"received","event":"reply","about":"Hello from support"/);
  });

  it('logs in every browser that opens it on this machine, each agent at a path of their own', async () => {
    const { origin } = await startDemo();
    const first = await enter(origin);
    const second = await enter(origin);
    expect(second.cookie).not.toBe(first.cookie);
    expect((await first.state()).me.name).toBe('You');
    expect((await second.state()).me.name).toBe('You');
    expect((await openDesk(origin, '/colleague/')).headers.get('set-cookie')).toContain('Path=/colleague');
  });

  it('logs in nobody that another site sends', async () => {
    const { origin } = await startDemo();
    const { host } = new URL(origin);
    const own = { status: 200, hasSession: true };
    const refused = { status: 403, hasSession: false };
    const desk = `${origin}/desk/`;
    expect(await ask(desk, { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })).toEqual(own);
    expect(await ask(desk, { 'sec-fetch-site': 'same-origin', origin })).toEqual(own);
    for (const headers of [
      { host: host.replace('127.0.0.1', 'rebound.example') },
      { host: host.replace('127.0.0.1', 'localhost.evil.example') },
      { host: 'localhost.evil.example' },
      { host: '127.0.0.1.evil.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' },
      { origin: 'http://127.0.0.1:1' },
    ]) {
      expect(await ask(desk, headers), JSON.stringify(headers)).toEqual(refused);
    }
    // A link to the page itself may be anywhere.
    const page = await ask(`${origin}/`, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' });
    expect(page.status).toBe(200);
    expect(await ask(`${origin}/tour.json`, { 'sec-fetch-site': 'cross-site' })).toEqual(refused);
    expect(await ask(`${origin}/`, { host: 'rebound.example' })).toEqual(refused);
  });

  it('logs in nobody at the port of its receiver', async () => {
    const { program } = await startDemo();
    const [, receiver = ''] = await program.until(/"receiverUrl":"([^"]+)"/);
    expect(await ask(new URL('/desk/', receiver).href, {})).toEqual({ status: 200, hasSession: false });
  });

  it('removes the files of a demo that was killed, and not those of one that runs', async () => {
    const folder = await temporaryFolder();
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const [old, running, other] = [
      `handoff-kit-demo-${ended}-a`,
      `handoff-kit-demo-${process.pid}-b`,
      'handoff-kit-c',
    ];
    for (const name of [old, running, other]) await mkdir(join(folder, name));
    await writeFile(join(folder, old, 'demo.db'), '');
    const program = runNode(['dist/cli/main.js', 'demo', '--json'], { TMPDIR: folder });
    await addressOf(program);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    expect((await readdir(folder)).toSorted()).toEqual([running, other].toSorted());
  });

  it('stores in a temporary file until it stops, also while event streams are open', async () => {
    const folder = await temporaryFolder();
    const program = runNode(['dist/cli/main.js', 'demo', '--json'], { TMPDIR: folder });
    const origin = await addressOf(program);
    const agent = await enter(origin);
    expect((await agent.state()).durable).toBe(true);
    expect(await readdir(folder, { recursive: true })).toContainEqual(expect.stringMatching(/demo\.db$/));
    const desk = await listen(origin, agent.cookie);
    const platform = await fetch(`${origin}/platform/simulator/events`);
    expect(platform.status).toBe(200);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    await desk.ended;
    await platform.text().catch(() => '');
    expect(program.stderr()).not.toMatch(/"level":"(error|fatal)"/);
    expect(await readdir(folder)).toEqual([]);
  });
});
