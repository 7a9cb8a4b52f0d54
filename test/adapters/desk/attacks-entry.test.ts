import { describe, expect, it } from 'vitest';
import { createAgents } from '../../../src/adapters/desk/agents/agents.js';
import { hashPassword, NOBODYS_HASH, verifyPassword } from '../../../src/adapters/desk/agents/password.js';
import { createThrottle, sourceOf } from '../../../src/adapters/desk/agents/throttle.js';
import type { AgentView } from '../../../src/adapters/desk/index.js';
import { createMemoryShelf } from '../../../src/delivery/index.js';
import { clientOf, cookieOf, logIn, postLogin } from './agent-client.js';
import { deskWithHandoff, PASSWORD, world } from './world.js';

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
    'nothing is reachable: %s',
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

  it('the webhooks need none', async () => {
    const { bench } = await deskWithHandoff();
    expect((await bench.say('hello')).status).toBe(200);
  });
});

describe('a session', () => {
  it('is always a new one: what the browser had before is not taken', async () => {
    const { start } = await world();
    const instance = await start();
    const ann = await instance.agent('ann');
    const fixed = `${ann.cookie.split('=')[0]}=${'fixed-by-an-attacker'.repeat(2)}`;
    const answer = await postLogin(instance.url, { name: 'ann', password: PASSWORD }, { cookie: fixed });
    expect(answer.status).toBe(204);
    expect(cookieOf(answer)).not.toBe(fixed);
    expect((await fetch(`${instance.url}/desk/api/state`, { headers: { cookie: fixed } })).status).toBe(401);
    // A session that was there ends when somebody logs in over it.
    const over = await postLogin(instance.url, { name: 'ann', password: PASSWORD }, { cookie: ann.cookie });
    expect((await ann.get('/api/state')).status).toBe(401);
    const again = await clientOf(instance.url, cookieOf(over));
    expect((await again.state()).me.id).toBe('ann');
    expect(again.token).not.toBe(ann.token);
  });

  it('has a cookie that scripts, other sites and plain HTTP do not get', async () => {
    const { start } = await world();
    const login = { name: 'ann', password: PASSWORD };
    const plain = await start();
    await plain.agent('ann');
    const flags = (answer: Response) => answer.headers.getSetCookie()[0] ?? '';
    const direct = flags(await postLogin(plain.url, login));
    expect(direct).toMatch(/; HttpOnly/);
    expect(direct).toMatch(/; SameSite=Strict/);
    expect(direct).toMatch(/; Path=\/desk;/);
    expect(direct).not.toMatch(/Secure/);
    // Who is not trusted does not decide.
    expect(flags(await postLogin(plain.url, login, { 'x-forwarded-proto': 'https' }))).not.toMatch(/Secure/);
    const proxied = await start({ trustProxy: true });
    await proxied.agent('ann');
    const tls = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'd.example',
      origin: 'https://d.example',
    };
    expect(flags(await postLogin(proxied.url, login, tls))).toMatch(/; Secure/);
    const told = await start({ secureCookies: true });
    await told.agent('ann');
    expect(flags(await postLogin(told.url, login))).toMatch(/; Secure/);
  });

  it('is kept so that whoever reads the store cannot use it', async () => {
    const { start } = await world();
    const instance = await start();
    const ann = await instance.agent('ann');
    const kept = JSON.stringify(await instance.receiver.storage.shelf.list('desk.session'));
    expect(kept).not.toContain(ann.cookie.split('=')[1]);
    expect(instance.logged.text()).not.toContain(ann.cookie.split('=')[1]);
  });
});

describe('guessing passwords', () => {
  it('is slowed down for a name, also when many are tried at once', async () => {
    const { start } = await world();
    const instance = await start();
    await instance.agent('ann');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) =>
        postLogin(instance.url, { name: 'ann', password: `wrong guess ${nth}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    const judged = statuses.filter((status) => status === 401).length;
    const waiting = answers.filter(({ status }) => status === 429);
    expect(judged).toBeGreaterThanOrEqual(5);
    expect(waiting.length).toBeGreaterThan(0);
    expect(judged + waiting.length).toBe(12);
    expect(Number(waiting[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const actions = (await instance.audit()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'refused: login failed')).toHaveLength(judged);
    expect(actions.filter((action) => action === 'refused: too many logins')).toHaveLength(waiting.length);
    expect(instance.logged.text() + JSON.stringify(await instance.audit())).not.toContain('wrong guess');
  });

  it('is slowed down for an address, whatever the names', async () => {
    const { start } = await world();
    const { url } = await start({ trustProxy: true });
    const guess = (nth: number, from: string) =>
      postLogin(url, { name: `name${nth}`, password: 'x' }, { 'x-forwarded-for': from });
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth += 1) statuses.push((await guess(nth, '203.0.113.7')).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.slice(20)).toContain(429);
    expect((await guess(99, '203.0.113.8')).status).toBe(401);
  }, 120_000);

  it('waits longer each time, and forgets', () => {
    let now = 0;
    const throttle = createThrottle({ free: 3, longestMs: 20_000, now: () => now });
    const waits = Array.from({ length: 7 }, () => {
      expect(throttle.begin('k')).toBe(0);
      const wait = throttle.begin('k');
      now += wait;
      return wait;
    });
    // The second try of the first pair is free too.
    expect(waits).toEqual([0, 5_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
    // All at once are no way round: each counts when it begins.
    const many = Array.from({ length: 9 }, () => throttle.begin('other'));
    expect(many.filter((wait) => wait === 0)).toHaveLength(3);
    throttle.forget('k');
    expect([throttle.begin('k'), throttle.begin('k')]).toEqual([0, 0]);
    now += 3_700_000;
    expect([throttle.begin('k'), throttle.begin('k')]).toEqual([0, 0]);
  });

  it('counts a network of IPv6 as one address', () => {
    expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe(sourceOf('2001:db8:1:2::9'));
    expect(sourceOf('2001:db8:1:2::9')).not.toBe(sourceOf('2001:db8:1:3::9'));
    expect(sourceOf('::ffff:10.0.0.1')).not.toBe(sourceOf('::ffff:10.0.0.2'));
    expect(sourceOf('10.0.0.1')).toBe('10.0.0.1');
    expect(sourceOf('::1')).toBe(sourceOf('::2'));
  });

  it('is made costly by how passwords are kept', async () => {
    const hashed = await hashPassword(PASSWORD);
    const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
    expect(scheme).toBe('scrypt');
    expect(Number(n) * Number(r) * Number(p)).toBeGreaterThanOrEqual(2 ** 17);
    expect(Buffer.from(salt, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(Buffer.from(key, 'base64url').length).toBeGreaterThanOrEqual(32);
    expect(await hashPassword(PASSWORD)).not.toBe(hashed);
    // A name that nobody has costs as much.
    const shape = (text: string) => text.split('$').map((part, nth) => (nth < 4 ? part : part.length));
    expect(shape(NOBODYS_HASH)).toEqual(shape(hashed));
    expect(await verifyPassword(PASSWORD, hashed)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, hashed)).toBe(false);
  });

  it('lets nobody in by an empty password, by a name without one, or by a short one', async () => {
    const agents = createAgents(createMemoryShelf());
    await agents.note({ id: 'host-user', name: 'Host' });
    expect(await agents.judge('host-user', '')).toBeNull();
    expect(await agents.judge('nobody', '')).toBeNull();
    await expect(agents.save({ id: 'ann', name: 'Ann' }, 'short')).rejects.toThrow('10 characters');
    await expect(agents.save({ id: '../ann', name: 'Ann' }, PASSWORD)).rejects.toThrow('login name');
  });
});

describe('the one-time link', () => {
  it('lets its agent in once', async () => {
    const { start } = await world();
    const demo = { id: 'demo', name: 'Demo' };
    const { url, desk, audit, logged } = await start({ oneTimeLinkFor: demo });
    const open = (path: string) => fetch(`${url}/desk${path}`, { redirect: 'manual' });
    expect((await open('/enter?token=wrong')).headers.getSetCookie()).toEqual([]);
    expect((await open('/enter?token[]=x')).headers.getSetCookie()).toEqual([]);
    const first = await open(desk.oneTimePath ?? '');
    expect([first.status, first.headers.get('location')]).toEqual([303, '/desk/']);
    expect((await (await clientOf(url, cookieOf(first))).state()).me).toEqual(demo);
    const second = await open(desk.oneTimePath ?? '');
    expect(second.headers.getSetCookie()).toEqual([]);
    const actions = (await audit()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'refused: a wrong or used link')).toHaveLength(3);
    expect(actions).toContain('came in by the one-time link');
    expect(logged.text() + JSON.stringify(await audit())).not.toContain(desk.oneTimePath?.split('=')[1]);
  });
});

describe('the session of a host application', () => {
  it('lets in who is logged in there, and nobody else on an old cookie', async () => {
    const { start } = await world();
    let user: AgentView | null = null;
    const instance = await start({ agents: async () => user });
    const { url } = instance;
    expect((await postLogin(url, {})).status).toBe(401);
    expect((await fetch(`${url}/desk/`)).headers.getSetCookie()).toEqual([]);
    user = { id: 'u-1', name: 'Una' };
    const cookie = cookieOf(await fetch(`${url}/desk/`));
    const una = await clientOf(url, cookie);
    expect((await una.state()).me).toEqual(user);
    expect((await una.state()).agents).toEqual([user]);

    user = { id: 'u-2', name: 'Udo' };
    expect((await una.get('/api/state')).status).toBe(401);
    user = null;
    expect((await una.get('/api/state')).status).toBe(401);
    user = { id: 'u-1', name: 'Una' };
    expect((await una.get('/api/state')).status).toBe(200);
    expect((await postLogin(url, {})).status).toBe(204);
    // Passwords are for those who have no host application.
    await instance.desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
    user = null;
    await expect(logIn(url, 'ann', PASSWORD)).rejects.toThrow();
  });
});
