import { describe, expect, it } from 'vitest';
import { clientOf, cookieOf, listen } from '../adapters/desk/agent-client.js';
import { runNode } from '../standalone/program.js';

/** The demo with its desk, and the address that it prints. */
async function startDemo() {
  const program = runNode(['dist/cli/main.js', 'demo', '--json']);
  const [, origin = '', token = ''] = await program.until(/"url":"(http:\/\/[^/"]+)\/\?token=([\w-]+)"/);
  return { program, origin, token };
}

describe('the demo with the desk', () => {
  it('has one page for both sides, which nobody else can show in a frame', async () => {
    const { origin } = await startDemo();
    const page = await fetch(origin);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(await page.text()).toContain('service/');
    expect((await fetch(`${origin}/service/`)).status).toBe(200);
    const login = await fetch(`${origin}/desk/`);
    expect(login.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  });

  it('lets one in by the token that it prints, once, and ends in time while one looks on', async () => {
    const { program, origin, token } = await startDemo();
    const enter = () => fetch(`${origin}/desk/enter?token=${token}`, { redirect: 'manual' });
    const cookie = cookieOf(await enter());
    expect((await (await clientOf(origin, cookie)).state()).me.name).toBe('You');
    expect(cookieOf(await enter())).toBe('');
    const desk = await listen(origin, cookie);
    const service = await fetch(`${origin}/service/simulator/events`);
    expect(service.status).toBe(200);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    await desk.ended;
    await service.text().catch(() => '');
    expect(program.stderr()).toContain('the desk refused: a wrong or used link');
    expect(program.stderr()).not.toMatch(/"level":(50|60)/);
  });
});
