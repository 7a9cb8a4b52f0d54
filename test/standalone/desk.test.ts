import { describe, expect, it, vi } from 'vitest';
import { runCli, runCliProcess } from '../cli/run-cli.js';
import { clientOf, cookieOf, listen, logIn, postLogin } from '../desk/agent-client.js';
import { startProgram, startProgramProcess } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

/** Adds an agent with the command line. Returns the password. */
async function addAgent(login: string, env: Readonly<Record<string, string>>, run = runCli): Promise<string> {
  const { code, json } = await run(['desk', 'add-agent', login, '--name', 'Ann Lee', '--json'], { env });
  expect(code).toBe(0);
  return (json() as { password: string }).password;
}

describe('the program with the desk', () => {
  it('starts it by default, and an agent added by the command line answers there', async () => {
    const { program, url, simulator, settings } = await startProgram();
    expect(program.stdout()).toContain(`"adapter":{"name":"desk","url":"${url}/desk"}`);
    const password = await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL });
    const agent = await logIn(url, 'ann', password);
    const handoff = await simulator.requestHandoff();
    const id = await agent.idOf(handoff.id);
    await agent.act(id, 'claim', {});
    await agent.say(id, 'Hello, Ann here');
    expect((await handoff.nextReply({ timeoutMs: WAIT_MS })).text).toBe('Hello, Ann here');
    await agent.act(id, 'close', {});
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);

    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('handoff_kit_adapter_events_total{adapter="desk",type="replied"} 1\n');
    expect(metrics).toMatch(/handoff_kit_requests_total\{endpoint="desk",status="200"\} \d/);
    expect(program.stdout() + program.stderr()).not.toContain(password);
  });

  it('stops in time while agents have event streams open, and logs no failure', async () => {
    const { program, url, settings } = await startProgramProcess();
    // The tests hash passwords at a lower cost than the program that checks this one.
    const password = await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL }, runCliProcess);
    const agent = await logIn(url, 'ann', password);
    const streams = await Promise.all([listen(url, agent.cookie), listen(url, agent.cookie)]);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    await Promise.all(streams.map(({ ended }) => ended));
    expect(program.stderr()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('prints a link with --dev that logs in once', async () => {
    const { program, url } = await startProgram({}, ['--dev']);
    const [, link = ''] = await program.until(/"desk":"([^"]+)"/);
    expect(link).toMatch(new RegExp(`^${url}/desk/enter\\?token=[\\w-]{32}$`));
    const first = await fetch(link, { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/desk/']);
    const { me } = await (await clientOf(url, cookieOf(first))).state();
    expect(me.name).toBe('Developer');
    expect((await fetch(link, { redirect: 'manual' })).headers.getSetCookie()).toEqual([]);
  });

  it('serves it beside a receiver that is mounted at the root', async () => {
    const { url, simulator, settings } = await startProgram({ MOUNT_PATH: '/' });
    const agent = await logIn(url, 'ann', await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL }));
    const handoff = await simulator.requestHandoff();
    expect(handoff.state).toBe('connecting');
    expect(await agent.idOf(handoff.id)).toBeTruthy();
  });

  it('trusts a proxy only with TRUST_PROXY', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const setCookie = async (TRUST_PROXY: string) => {
      const { url, settings } = await startProgram({ TRUST_PROXY });
      const password = await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL });
      const origin = url.replace('http:', 'https:');
      const answer = await postLogin(url, { name: 'ann', password }, { ...forwarded, origin });
      expect(answer.status).toBe(204);
      return answer.headers.getSetCookie()[0];
    };
    expect(await setCookie('1')).toMatch(/; Secure/);
    expect(await setCookie('loopback')).toMatch(/; Secure/);
    expect(await setCookie('false')).not.toMatch(/; Secure/);
  }, 120_000);

  it('takes everything about HTTPS from PUBLIC_URL', async () => {
    const { url, settings } = await startProgram({
      PUBLIC_URL: 'https://help.example.com/support/',
      TRUST_PROXY: 'loopback',
    });
    const password = await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL });
    const proxied = { 'x-forwarded-host': 'help.example.com', 'x-forwarded-proto': 'https' };
    const login = { name: 'ann', password };
    expect((await postLogin(url, login)).status).toBe(421);
    const answer = await postLogin(url, login, { ...proxied, origin: 'https://help.example.com' });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-handoff_desk-support-desk=.*; Secure/);
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('refuses half of the settings of OpenID Connect', async () => {
    const { code, stderr } = await runCli(['serve'], {
      env: { DESK_OPENID_ISSUER: 'https://login.example.com', DESK_OPENID_ROLES: 'support=boss' },
    });
    expect(code).toBe(2);
    for (const problem of [
      /PUBLIC_URL +is missing/,
      /DESK_OPENID_CLIENT_ID +is missing/,
      /DESK_OPENID_ROLES +must name roles as in/,
    ]) {
      expect(stderr).toMatch(problem);
    }
  });

  it('has an assistant when its settings name one, and refuses half of them', async () => {
    const { url, settings } = await startProgram({
      DESK_ASSIST_BASE_URL: 'http://127.0.0.1:1/v1',
      DESK_ASSIST_MODEL: 'small',
    });
    const password = await addAgent('ann', { DATABASE_URL: settings.DATABASE_URL });
    expect((await (await logIn(url, 'ann', password)).state()).canAssist).toBe(true);
    const { code, stderr } = await runCli(['serve'], { env: { DESK_ASSIST_API_KEY: 'key' } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/DESK_ASSIST_MODEL +is missing/)]);
  });

  it('refuses half of the settings of the escalation', async () => {
    const { code, stderr } = await runCli(['serve'], {
      env: { DESK_ESCALATION_EMAIL: 'team', DESK_ESCALATION_SLACK_URL: 'hooks.slack.com/sEcret' },
    });
    expect(code).toBe(2);
    for (const problem of [
      /PUBLIC_URL +is missing/,
      /DESK_ESCALATION_MINUTES +is missing/,
      /DESK_ESCALATION_SMTP_URL +is missing/,
      /DESK_ESCALATION_EMAIL +must be an e-mail address/,
      /DESK_ESCALATION_SLACK_URL +must be an address/,
    ]) {
      expect(stderr).toMatch(problem);
    }
    expect(stderr).not.toContain('sEcret');
    const alone = await runCli(['serve'], { env: { DESK_ESCALATION_MINUTES: '5' } });
    expect(alone.stderr).toMatch(/DESK_ESCALATION_MINUTES +needs one of DESK_ESCALATION_SLACK_URL/);
  });

  it('does not start it without a database, since agents could not log in', async () => {
    const { program, url } = await startProgram({ DATABASE_URL: 'none' });
    expect(program.stdout()).toContain('"adapter":null');
    expect((await fetch(`${url}/desk/`)).status).toBe(404);
  });
});
