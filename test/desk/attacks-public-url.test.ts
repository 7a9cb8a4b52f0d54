import { describe, expect, it } from 'vitest';
import { cookieOf, listen, postLogin } from './agent-client.js';
import { createDeskEnvironment, PASSWORD } from './desk-environment.js';

const LOGIN = { name: 'ann', password: PASSWORD };
/** As a proxy passes requests for the public URL on. */
const PUBLIC = {
  'x-forwarded-host': 'desk.example',
  'x-forwarded-proto': 'https',
  origin: 'https://desk.example',
};

async function publicDesk(publicUrl = 'https://desk.example/help/desk') {
  const { start } = await createDeskEnvironment();
  const instance = await start({ publicUrl, trustProxy: true });
  await instance.desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
  return instance;
}

describe('the public URL', () => {
  it('binds the cookie to its host, and tells browsers to use HTTPS only', async () => {
    const { url } = await publicDesk();
    const answer = await postLogin(url, LOGIN, PUBLIC);
    expect(answer.status).toBe(204);
    const cookie = answer.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/^__Host-handoff_desk-help-desk=[\w-]{43}; /);
    for (const flag of ['Path=/;', 'HttpOnly', 'Secure', 'SameSite=Strict']) expect(cookie).toContain(flag);
    expect(cookie).not.toContain('Domain');
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const headers = { ...PUBLIC, cookie: cookieOf(answer) };
    expect((await fetch(`${url}/desk/api/state`, { headers })).status).toBe(200);
    // The same value under a name that others can set is not accepted.
    const renamed = headers.cookie.replace('__Host-handoff_desk-help-desk', 'handoff_desk');
    const other = await fetch(`${url}/desk/api/state`, { headers: { ...PUBLIC, cookie: renamed } });
    expect(other.status).toBe(401);
  });

  it('is the only host that is answered, and the only origin that can change something', async () => {
    const { url } = await publicDesk();
    const rebound = await fetch(`${url}/desk/`, { headers: { 'x-forwarded-host': 'evil.example' } });
    expect([rebound.status, await rebound.text()]).toEqual([421, expect.stringContaining('desk.example')]);
    expect((await fetch(`${url}/desk/`)).status).toBe(421);
    for (const origin of ['https://evil.example', 'http://desk.example', 'https://desk.example:8443']) {
      expect((await postLogin(url, LOGIN, { ...PUBLIC, origin })).status).toBe(403);
    }
  });

  it('on HTTP promises nothing that HTTP cannot hold', async () => {
    const { url } = await publicDesk('http://desk.example/desk');
    const headers = { ...PUBLIC, 'x-forwarded-proto': 'http', origin: 'http://desk.example' };
    const answer = await postLogin(url, LOGIN, headers);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^handoff_desk=[^;]+; (?!.*Secure)/);
    expect(answer.headers.get('strict-transport-security')).toBeNull();
  });

  it('must be one', async () => {
    const { start } = await createDeskEnvironment();
    await expect(start({ publicUrl: 'desk.example' })).rejects.toThrow('https://help.example.com/desk');
  });
});

describe('a cookie that a sibling domain planted', () => {
  it('locks nobody out, before or behind the real one', async () => {
    const { start } = await createDeskEnvironment();
    const { url, agent } = await start();
    const ann = await agent('ann');
    const planted = `handoff_desk=${'planted'.repeat(6)}`;
    for (const cookie of [
      `${planted}; ${ann.cookie}`,
      `${ann.cookie}; ${planted}`,
      `handoff_desk=; handoff_desk="x"; ${ann.cookie}`,
    ]) {
      expect((await fetch(`${url}/desk/api/state`, { headers: { cookie } })).status).toBe(200);
    }
    // A login with planted cookies gets a new one, and a logout ends the real session.
    const headers = { cookie: `${planted}; ${ann.cookie}`, origin: url };
    expect((await fetch(`${url}/desk/logout`, { method: 'POST', headers })).status).toBe(204);
    expect((await ann.get('/api/state')).status).toBe(401);
  });
});

describe('event streams', () => {
  it('are limited for each session', async () => {
    const { start } = await createDeskEnvironment();
    const { url, agent } = await start();
    const [ann, bob] = [await agent('ann'), await agent('bob')];
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(url, ann.cookie)));
    const refused = await ann.get('/api/events');
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'TOO_MANY_STREAMS' }]);
    (await listen(url, bob.cookie)).close();
    for (const stream of streams) stream.close();
  });
});
