import { describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/desk/index.js';
import { clientOf, cookieOf, logIn, postLogin } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff, PASSWORD } from './desk-environment.js';

const GETS = [
  '/api/state',
  '/api/events',
  '/api/conversations',
  '/api/conversations/ID',
  '/api/conversations/ID/entries',
  '/api/canned',
  '/api/teach',
  '/api/dashboard',
  '/api/dead/inbox/1',
  '/api/dead/outbox/1',
  '/api',
  '/api/anything/else',
];
const ACTIONS = ['claim', 'release', 'transfer', 'reply', 'retry', 'note', 'close', 'read', 'constructor'];
const CHANGES = [
  ...ACTIONS.map((action) => ['POST', `/api/conversations/ID/${action}`] as const),
  ['PUT', '/api/canned'],
  ['POST', '/api/teach'],
  ['POST', '/api/dead/inbox/1/retry'],
  ['POST', '/api/dead/outbox/1/discard'],
  ['DELETE', '/api/conversations/ID'],
] as const;

describe('without a session', () => {
  it.each(['no cookie', 'a made-up cookie', 'the cookie of a session that ended'])(
    'nothing can be read or changed: %s',
    async (which) => {
      const { instance, ann, id } = await deskWithHandoff();
      const bob = await instance.agent('bob');
      await bob.logOut();
      const name = ann.cookie.split('=')[0] ?? '';
      const cookie =
        { 'no cookie': '', 'a made-up cookie': `${name}=${'A'.repeat(43)}` }[which] ?? bob.cookie;
      const headers = { cookie, origin: instance.url, 'x-desk-token': ann.token };
      for (const [method, path] of [...GETS.map((each) => ['GET', each] as const), ...CHANGES]) {
        const where = `${instance.url}/desk${path.replace('ID', id)}`;
        const body = method === 'GET' ? undefined : '{"broken": ';
        const answer = await fetch(where, {
          method,
          headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body }),
        });
        expect([path, answer.status]).toEqual([path, 401]);
        expect(await answer.json()).toEqual({ code: 'NOT_LOGGED_IN', message: 'Log in first.' });
      }
      const page = await fetch(`${instance.url}/desk/`, { headers });
      expect(await page.text()).not.toContain('main-');
      expect((await ann.conversation(id)).summary).toMatchObject({ state: 'waiting', agent: null });
    },
    60_000,
  );

  it('webhooks still work', async () => {
    const { bench } = await deskWithHandoff();
    expect((await bench.say('hello')).status).toBe(200);
  });
});

describe('a session', () => {
  it('always gets a new cookie, never one that the browser had', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const ann = await instance.agent('ann');
    const fixed = `${ann.cookie.split('=')[0]}=${'fixed-by-an-attacker'.repeat(2)}`;
    const answer = await postLogin(instance.url, { name: 'ann', password: PASSWORD }, { cookie: fixed });
    expect(answer.status).toBe(204);
    expect(cookieOf(answer)).not.toBe(fixed);
    expect((await fetch(`${instance.url}/desk/api/state`, { headers: { cookie: fixed } })).status).toBe(401);
    // Another login in the same browser ends the previous session.
    const over = await postLogin(instance.url, { name: 'ann', password: PASSWORD }, { cookie: ann.cookie });
    expect((await ann.get('/api/state')).status).toBe(401);
    const again = await clientOf(instance.url, cookieOf(over));
    expect((await again.state()).me.id).toBe('ann');
    expect(again.token).not.toBe(ann.token);
  });

  it('has a cookie that is hidden from scripts, other sites and plain HTTP', async () => {
    const { start } = await createDeskEnvironment();
    const login = { name: 'ann', password: PASSWORD };
    const plain = await start();
    await plain.agent('ann');
    const flags = (answer: Response) => answer.headers.getSetCookie()[0] ?? '';
    const direct = flags(await postLogin(plain.url, login));
    expect(direct).toMatch(/; HttpOnly/);
    expect(direct).toMatch(/; SameSite=Strict/);
    expect(direct).toMatch(/; Path=\/desk;/);
    expect(direct).not.toMatch(/Secure/);
    // A proxy that is not trusted does not decide.
    expect(flags(await postLogin(plain.url, login, { 'x-forwarded-proto': 'https' }))).not.toMatch(/Secure/);
    const proxied = await start({ trustProxy: true });
    await proxied.agent('ann');
    const tls = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'd.example',
      origin: 'https://d.example',
    };
    expect(flags(await postLogin(proxied.url, login, tls))).toMatch(/; Secure/);
  });

  it('is stored so that a reader of the store cannot use it', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const ann = await instance.agent('ann');
    const kept = JSON.stringify(await instance.desk.store.list('session'));
    expect(kept).not.toContain(ann.cookie.split('=')[1]);
    expect(instance.logged.text()).not.toContain(ann.cookie.split('=')[1]);
  });
});

describe('the one-time link', () => {
  it('logs its agent in once', async () => {
    const { start } = await createDeskEnvironment();
    const demo = { id: 'demo', name: 'Demo', role: 'administrator' } as const;
    const { url, desk, audit, logged } = await start({ oneTimeLinksFor: [demo] });
    const open = (path: string) => fetch(`${url}/desk${path}`, { redirect: 'manual' });
    expect((await open('/enter?token=wrong')).headers.getSetCookie()).toEqual([]);
    expect((await open('/enter?token[]=x')).headers.getSetCookie()).toEqual([]);
    const first = await open(desk.oneTimePaths[0] ?? '');
    expect([first.status, first.headers.get('location')]).toEqual([303, '/desk/']);
    expect((await (await clientOf(url, cookieOf(first))).state()).me).toEqual(demo);
    const second = await open(desk.oneTimePaths[0] ?? '');
    expect(second.headers.getSetCookie()).toEqual([]);
    const actions = (await audit()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'refused: a wrong or used link')).toHaveLength(3);
    expect(actions).toContain('login by the one-time link');
    expect(logged.text() + JSON.stringify(await audit())).not.toContain(desk.oneTimePaths[0]?.split('=')[1]);
  });
});

describe('the session of a host application', () => {
  it('logs its agent in, and rejects the cookie of another one', async () => {
    const { start } = await createDeskEnvironment();
    let user: AgentView | null = null;
    const instance = await start({ agents: async () => user });
    const { url } = instance;
    expect((await postLogin(url, {})).status).toBe(401);
    expect((await fetch(`${url}/desk/`)).headers.getSetCookie()).toEqual([]);
    user = { id: 'u-1', name: 'Una', role: 'agent' };
    const cookie = cookieOf(await fetch(`${url}/desk/`));
    const una = await clientOf(url, cookie);
    expect((await una.state()).me).toEqual(user);
    expect((await una.state()).agents).toEqual([user]);

    user = { id: 'u-2', name: 'Udo', role: 'agent' };
    expect((await una.get('/api/state')).status).toBe(401);
    user = null;
    expect((await una.get('/api/state')).status).toBe(401);
    user = { id: 'u-1', name: 'Una', role: 'agent' };
    expect((await una.get('/api/state')).status).toBe(200);
    expect((await postLogin(url, {})).status).toBe(204);
    // With a host application, passwords do not work.
    await instance.desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
    user = null;
    await expect(logIn(url, 'ann', PASSWORD)).rejects.toThrow();
  });
});
