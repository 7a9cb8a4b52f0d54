import { describe, expect, it } from 'vitest';
import { clientOf, cookieOf, eventually, listen } from '../desk/agent-client.js';
import { post, type RunningProgram, runNode } from '../standalone/program.js';
import { startCli } from './run-cli.js';

/** The printed address of a demo with its desk. */
async function addressesOf(program: RunningProgram) {
  const [, origin = '', token = ''] = await program.until(/"url":"(http:\/\/[^/"]+)\/\?token=([\w-]+)/);
  return { program, origin, token };
}

/** Starts the demo with its desk. */
const startDemo = (...args: readonly string[]) => addressesOf(startCli(['demo', '--json', ...args]));

describe('the demo with the desk', () => {
  it('has one page for both sides, which no other site can frame', async () => {
    const { origin } = await startDemo();
    const page = await fetch(origin);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(await page.text()).toContain('platform/');
    expect((await fetch(`${origin}/platform/`)).status).toBe(200);
    const login = await fetch(`${origin}/desk/`);
    expect(login.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  });

  it('carries a handoff from the customer to the desk and back', async () => {
    const { program, origin, token } = await startDemo();
    const answer = await fetch(`${origin}/desk/enter?token=${token}`, { redirect: 'manual' });
    const agent = await clientOf(origin, cookieOf(answer));
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
    const { program, origin, token } = await startDemo('--bots', '2');
    const answer = await fetch(`${origin}/desk/enter?token=${token}`, { redirect: 'manual' });
    const agent = await clientOf(origin, cookieOf(answer));
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

  it('logs in once by the printed token, and stops in time while event streams are open', async () => {
    const { program, origin, token } = await addressesOf(runNode(['dist/cli/main.js', 'demo', '--json']));
    const enter = () => fetch(`${origin}/desk/enter?token=${token}`, { redirect: 'manual' });
    const cookie = cookieOf(await enter());
    expect((await (await clientOf(origin, cookie)).state()).me.name).toBe('You');
    expect(cookieOf(await enter())).toBe('');
    const desk = await listen(origin, cookie);
    const platform = await fetch(`${origin}/platform/simulator/events`);
    expect(platform.status).toBe(200);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    await desk.ended;
    await platform.text().catch(() => '');
    expect(program.stderr()).toContain('the desk refused: a wrong or used link');
    expect(program.stderr()).not.toMatch(/"level":"(error|fatal)"/);
  });
});
