import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import type { AccountView } from '../../src/desk/api.js';
import { createAccount, totpStepOf } from '../../src/desk/server/agents/account.js';
import { createAgents } from '../../src/desk/server/agents/agents.js';
import { createSessions } from '../../src/desk/server/agents/sessions.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import {
  type AgentClient,
  clientOf,
  cookieOf,
  eventually,
  listen,
  logIn,
  postLogin,
} from './agent-client.js';
import { createDeskEnvironment, PASSWORD } from './desk-environment.js';

const NEW_PASSWORD = 'a quite different phrase';

async function oneAgent(options = {}) {
  const { start } = await createDeskEnvironment({ stored: true });
  const instance = await start(options);
  return { ...instance, ann: await instance.agent('ann') };
}

const accountOf = async (agent: AgentClient) => (await agent.get<AccountView>('/api/account')).body;

/** Sets up the second factor as an authenticator app would; gives the codes of the app and the recovery codes. */
async function setUpTotp(ann: AgentClient) {
  const made = (await ann.send('POST', '/api/account/totp/new', {})).body as { secret: string; uri: string };
  const app = new TOTP({ secret: made.secret });
  // A code is accepted for one step more, and one step ahead, so that a slow machine has a minute for the next one.
  const start = Date.now();
  const codeOf = (step: number): string => app.generate({ timestamp: start + step * 30_000 });
  const code = codeOf(0);
  const answer = await ann.send('PUT', '/api/account/totp', {
    password: PASSWORD,
    secret: made.secret,
    code,
  });
  expect(answer.status).toBe(200);
  return { codeOf, ...made, ...(answer.body as { recoveryCodes: readonly string[] }) };
}

describe('the password of an agent', () => {
  it('can be changed by the agent, which ends all other sessions', async () => {
    const { url, ann, audit } = await oneAgent();
    const elsewhere = await logIn(url, 'ann', PASSWORD);
    const change = (current: string, password: string) =>
      ann.send('POST', '/api/account/password', { current, password });
    expect((await change('wrong', NEW_PASSWORD)).body).toMatchObject({ code: 'WRONG_PASSWORD' });
    expect(await change(PASSWORD, 'short')).toMatchObject({ status: 400, body: { code: 'INVALID_AGENT' } });
    expect(await change(PASSWORD, '1qaz2wsx3edc4rfv')).toMatchObject({ status: 400 });
    const changed = await change(PASSWORD, NEW_PASSWORD);
    expect(changed.status).toBe(204);
    expect((await elsewhere.get('/api/state')).status).toBe(401);
    expect((await ann.get('/api/state')).status).toBe(401);
    const again = await clientOf(url, changed.headers.getSetCookie()[0]?.split(';')[0] ?? '');
    expect((await again.state()).me.id).toBe('ann');
    expect((await postLogin(url, { name: 'ann', password: PASSWORD })).status).toBe(401);
    await logIn(url, 'ann', NEW_PASSWORD);
    expect((await audit()).map(({ action }) => action)).toContain('password changed');
  }, 60_000);

  it('cannot be guessed with a stolen session', async () => {
    const { ann } = await oneAgent();
    const statuses: number[] = [];
    for (let nth = 0; nth < 7; nth += 1) {
      const body = { current: `guess ${nth}`, password: NEW_PASSWORD };
      statuses.push((await ann.send('POST', '/api/account/password', body)).status);
    }
    expect(statuses.slice(0, 5)).toEqual([403, 403, 403, 403, 403]);
    expect(statuses).toContain(429);
  }, 60_000);

  it('is not changed here when agents log in at a host application', async () => {
    const { start } = await createDeskEnvironment();
    const { url } = await start({ agents: () => ({ id: 'una', name: 'Una' }) });
    const una = await clientOf(url, cookieOf(await fetch(`${url}/desk/`)));
    const body = { current: 'x', password: NEW_PASSWORD };
    expect((await una.send('POST', '/api/account/password', body)).body).toMatchObject({
      code: 'NO_PASSWORD',
    });
  });
});

describe('the second factor', () => {
  it('asks for a code at the login, and takes each code once', async () => {
    const { url, ann, desk, audit } = await oneAgent();
    const { codeOf, secret, uri } = await setUpTotp(ann);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Desk%20127\.0\.0\.1/);
    expect((await accountOf(ann)).hasTotp).toBe(true);
    const attempt = (code?: string) =>
      postLogin(url, { name: 'ann', password: PASSWORD, ...(code && { code }) });
    const codes = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { code: string }).code,
    ];
    expect(await codes(await attempt())).toEqual([401, 'CODE_NEEDED']);
    expect(await codes(await attempt('000000'))).toEqual([401, 'WRONG_CODE']);
    // The code that set it up was used already.
    const used = codeOf(0);
    expect(await codes(await attempt(used))).toEqual([401, 'WRONG_CODE']);
    const code = codeOf(1);
    const twice = await Promise.all([attempt(code), attempt(code)]);
    expect(twice.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 401]);
    // Without the right password a code does not help, and the answer does not tell that there is one.
    const guess = { name: 'ann', password: 'wrong password', code };
    expect(await codes(await postLogin(url, guess))).toEqual([401, 'WRONG']);
    const stored = JSON.stringify(await desk.store.get('agent', 'ann')) + JSON.stringify(await audit());
    expect(stored).not.toContain(secret);
    expect((await audit()).map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'second factor set up',
        'login with a code',
        'refused: login with a wrong code',
      ]),
    );
  }, 60_000);

  it('has recovery codes, each of which works once', async () => {
    const { url, ann, desk } = await oneAgent();
    const { recoveryCodes } = await setUpTotp(ann);
    expect(new Set(recoveryCodes).size).toBe(10);
    const attempt = async (code = '') =>
      (await postLogin(url, { name: 'ann', password: PASSWORD, code })).status;
    const [first = '', second = ''] = recoveryCodes;
    expect(first).toMatch(/^\w{4}(-\w{4}){5}$/);
    expect([await attempt(first), await attempt(first), await attempt(second.toUpperCase())]).toEqual([
      204, 401, 204,
    ]);
    expect(JSON.stringify(await desk.store.get('agent', 'ann'))).not.toContain(first);
  }, 60_000);

  it('survives a change of the password, and ends with the agent or a reset', async () => {
    const { url, ann, desk } = await oneAgent();
    const { codeOf } = await setUpTotp(ann);
    const body = { current: PASSWORD, password: NEW_PASSWORD };
    const changed = await ann.send('POST', '/api/account/password', body);
    const attempt = async (password: string, code = '') =>
      (await postLogin(url, { name: 'ann', password, code })).status;
    expect(await attempt(NEW_PASSWORD)).toBe(401);
    expect(await attempt(NEW_PASSWORD, codeOf(1))).toBe(204);
    const again = await clientOf(url, changed.headers.getSetCookie()[0]?.split(';')[0] ?? '');
    const off = (password: string) => again.send('POST', '/api/account/totp/off', { password });
    expect((await off('wrong')).body).toMatchObject({ code: 'WRONG_PASSWORD' });
    expect((await off(NEW_PASSWORD)).status).toBe(204);
    expect(await attempt(NEW_PASSWORD)).toBe(204);
    // An administrator's reset removes it too: the key of its secret comes from the password.
    await desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
    expect(await attempt(PASSWORD)).toBe(204);
  }, 60_000);

  it('computes the codes of RFC 6238', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const expected = [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_234_567_890, '005924'],
      [20_000_000_000, '353130'],
    ] as const;
    for (const [seconds, code] of expected) {
      expect(totpStepOf(secret, code, 0, seconds * 1_000)).toBe(Math.floor(seconds / 30));
    }
    expect(totpStepOf(secret, '287082', 0, 59_000)).toBe(1);
    expect(totpStepOf(secret, '287082', 0, 89_000)).toBe(1);
    expect(totpStepOf(secret, '287082', 0, 120_000)).toBeNull();
    expect(totpStepOf(secret, '287082', 1, 59_000)).toBeNull();
  });

  it('cannot be guessed with the right password', async () => {
    const store = createMemoryDocumentStore();
    await createAgents(store).save({ id: 'ann', name: 'Ann' }, PASSWORD);
    const account = createAccount(store);
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const code = new TOTP({ secret }).generate();
    await expect(account.enableTotp('ann', PASSWORD, secret, '12')).rejects.toMatchObject({
      code: 'WRONG_CODE',
    });
    await expect(account.enableTotp('ann', PASSWORD, 'WEAK', code)).rejects.toMatchObject({
      code: 'WRONG_CODE',
    });
    const { url, ann } = await oneAgent();
    await setUpTotp(ann);
    const statuses: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      const guess = { name: 'ann', password: PASSWORD, code: `00000${nth}` };
      statuses.push((await postLogin(url, guess)).status);
    }
    expect(statuses).toContain(429);
  }, 60_000);
});

describe('a required second factor', () => {
  async function required() {
    const environment = await createDeskEnvironment({ stored: true });
    const instance = await environment.start();
    const ann = await instance.agent('ann', 'administrator');
    await setUpTotp(ann);
    const bob = await instance.agent('bob', 'agent');
    const requireTotp = (requiresTotp: boolean) =>
      ann.send('PUT', '/api/admin/login-policy', { requiresTotp });
    return { ...environment, ...instance, ann, bob, requireTotp };
  }

  it('has to be set up before anything else, from the next request on', async () => {
    const { url, ann, bob, requireTotp, start, stop } = await required();
    const stream = await listen(url, bob.cookie);
    expect((await requireTotp(true)).body).toEqual({ requiresTotp: true });
    const attempts = [
      await bob.get('/api/state'),
      await bob.get('/api/conversations'),
      await bob.get('/api/events'),
      await bob.send('PUT', '/api/filters', { filters: [] }),
    ];
    for (const answer of attempts)
      expect(answer).toMatchObject({ status: 403, body: { code: 'TOTP_REQUIRED' } });
    // Live updates end with the next check of the session, and the page starts anew.
    await stream.ended;
    expect(stream.text()).toContain('event: gone');
    expect((await ann.get('/api/state')).status).toBe(200);

    // The policy is stored, and holds for a login after a restart too.
    await stop();
    const restarted = await start();
    const cookie = cookieOf(await postLogin(restarted.url, { name: 'bob', password: PASSWORD }));
    const again = await clientOf(restarted.url, cookie);
    expect((await again.get('/api/state')).status).toBe(403);
    expect(await accountOf(again)).toMatchObject({ hasTotp: false, requiresTotp: true });
    await setUpTotp(again);
    expect((await again.get('/api/state')).status).toBe(200);
    const changed = (await restarted.audit()).find(({ action }) => action === 'login policy changed');
    expect(changed).toMatchObject({
      agent: 'ann',
      before: { requiresTotp: false },
      after: { requiresTotp: true },
    });
  }, 60_000);

  it('can be replaced, and turned off only when it is no longer required', async () => {
    const { ann, requireTotp } = await required();
    await requireTotp(true);
    const off = () => ann.send('POST', '/api/account/totp/off', { password: PASSWORD });
    expect((await off()).body).toMatchObject({ code: 'TOTP_REQUIRED' });
    expect((await accountOf(ann)).hasTotp).toBe(true);
    await setUpTotp(ann);
    await requireTotp(false);
    expect((await off()).status).toBe(204);
    expect((await ann.get('/api/state')).status).toBe(200);
  }, 60_000);

  it('comes back to agents whose password was reset, and leaves those alone who log in elsewhere', async () => {
    const { url, ann, bob, desk, requireTotp } = await required();
    await setUpTotp(bob);
    await requireTotp(true);
    await desk.agents.save({ id: 'bob', name: 'Bob' }, NEW_PASSWORD);
    const cookie = cookieOf(await postLogin(url, { name: 'bob', password: NEW_PASSWORD }));
    const answer = await fetch(`${url}/desk/api/state`, { headers: { cookie } });
    expect(answer.status).toBe(403);
    expect((await ann.get('/api/state')).status).toBe(200);

    const { start } = await createDeskEnvironment();
    const host = await start({ agents: () => ({ id: 'una', name: 'Una', role: 'administrator' }) });
    const una = await clientOf(host.url, cookieOf(await fetch(`${host.url}/desk/`)));
    await una.send('PUT', '/api/admin/login-policy', { requiresTotp: true });
    expect((await una.get('/api/state')).status).toBe(200);
  }, 60_000);
});

describe('the sessions of an agent', () => {
  it('are listed with address and browser, and can be ended one by one or everywhere', async () => {
    const { url, ann, agent } = await oneAgent();
    const browser = { 'user-agent': 'Firefox on a train' };
    const second = await clientOf(
      url,
      cookieOf(await postLogin(url, { name: 'ann', password: PASSWORD }, browser)),
    );
    const third = await logIn(url, 'ann', PASSWORD);
    const bob = await agent('bob');
    const { sessions } = await accountOf(ann);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    const train = sessions.find((session) => session.browser === 'Firefox on a train');
    expect(train?.from).toMatch(/127\.0\.0\.1$/);
    const stream = await listen(url, second.cookie);
    // Another agent cannot end it.
    await bob.send('POST', '/api/account/sessions/end', { session: train?.id });
    expect((await second.get('/api/state')).status).toBe(200);
    await ann.send('POST', '/api/account/sessions/end', { session: train?.id });
    expect((await second.get('/api/state')).status).toBe(401);
    await stream.ended;
    expect((await third.get('/api/state')).status).toBe(200);
    await ann.send('POST', '/api/account/sessions/end', { session: 'others' });
    expect((await third.get('/api/state')).status).toBe(401);
    expect((await accountOf(ann)).sessions).toHaveLength(1);
    await ann.send('POST', '/api/account/sessions/end', { session: 'all' });
    expect((await ann.get('/api/state')).status).toBe(401);
    expect((await bob.get('/api/state')).status).toBe(200);
  }, 60_000);

  it('end after a time without activity, which live updates do not prolong', async () => {
    let now = 1_000_000;
    const store = createMemoryDocumentStore();
    const sessions = createSessions(store, { idleMs: 600_000, now: () => now });
    const cookie = await sessions.start({ agentId: 'ann', passwordVersion: '', from: 'x', browser: '' });
    const pass = async (ms: number, isActive: boolean) => {
      now += ms;
      const session = await sessions.find(cookie);
      if (session && isActive) await sessions.touch(session);
      return session !== null;
    };
    expect(await pass(590_000, true)).toBe(true);
    expect(await pass(590_000, false)).toBe(true);
    expect(await pass(20_000, false)).toBe(false);

    const { url, ann, desk } = await oneAgent({ idleMinutes: 0.05 });
    const stream = await listen(url, ann.cookie);
    await stream.ended;
    expect(stream.text()).toContain('event: gone');
    expect((await ann.get('/api/state')).status).toBe(401);
    await eventually(async () => expect((await desk.store.list('session')).length).toBe(1));
  }, 60_000);
});
