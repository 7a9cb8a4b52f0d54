import { Provider } from 'oidc-provider';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenIdOptions } from '../../src/desk/index.js';
import { serve } from '../helpers/serve.js';
import { createDeskEnvironment, PASSWORD } from './desk-environment.js';

const PUBLIC_URL = 'https://desk.example/desk';
/** As a proxy passes requests for the public URL on. */
const PUBLIC = { 'x-forwarded-host': 'desk.example', 'x-forwarded-proto': 'https' };
const CLIENT = { clientId: 'desk', clientSecret: 'a client secret' };
const ROLES = { support: 'agent', leads: 'supervisor', it: 'administrator' } as const;

/** The groups of each user of the provider. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  una: ['support', 'leads'],
  ida: ['it'],
  tom: ['sales', 'constructor'],
};

/** Starts a real OpenID provider. It accepts any password. */
async function startProvider(): Promise<string> {
  const { url } = await serve((request, response) => provider.callback()(request, response));
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${PUBLIC_URL}/login/openid/callback`],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: sub.toUpperCase(),
        groups: GROUPS[sub] ?? [],
        email: `${sub}@example.com`,
      }),
    }),
  });
  return url;
}

/** A browser: it keeps cookies by host, and opens pages of the desk at its real address. */
function createBrowser(deskUrl: string) {
  const cookies = new Map<string, Map<string, string>>();
  const visit = async (address: string, body?: Record<string, string>): Promise<Response> => {
    const url = new URL(address);
    const isDesk = url.host === 'desk.example';
    const jar = cookies.get(url.host) ?? new Map<string, string>();
    cookies.set(url.host, jar);
    const response = await fetch(isDesk ? `${deskUrl}${url.pathname}${url.search}` : url, {
      redirect: 'manual',
      headers: {
        ...(isDesk && PUBLIC),
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body && { method: 'POST', body: new URLSearchParams(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const follow = async (
    address: string,
    body?: Record<string, string>,
  ): Promise<{ url: string; response: Response }> => {
    const response = await visit(address, body);
    const location = response.headers.get('location');
    const isBack = location?.startsWith(`${PUBLIC_URL}/login/openid/callback`) ?? false;
    if (location === null || isBack) return { url: isBack ? (location ?? '') : address, response };
    return follow(new URL(location, address).href);
  };
  return { visit, follow, cookiesOf: (host: string) => cookies.get(host) ?? new Map<string, string>() };
}

/** Logs in at the provider; gives the address that it sends the browser back to. */
async function logInAtProvider(browser: ReturnType<typeof createBrowser>, login: string): Promise<string> {
  let { url, response } = await browser.follow(`${PUBLIC_URL}/login/openid`);
  const forms = [{ prompt: 'login', login, password: 'any' }, { prompt: 'consent' }];
  for (const form of forms) {
    const [, action = ''] = /action="([^"]+)"/.exec(await response.text()) ?? [];
    ({ url, response } = await browser.follow(new URL(action, url).href, form));
  }
  expect(url).toContain('/login/openid/callback?');
  return url;
}

async function startDesk(more: Partial<OpenIdOptions> = {}) {
  const issuer = await startProvider();
  const { start } = await createDeskEnvironment({ stored: true });
  const openId: OpenIdOptions = { issuer, ...CLIENT, roleClaim: 'groups', roles: ROLES, ...more };
  const instance = await start({ publicUrl: PUBLIC_URL, trustProxy: true, openId });
  return { ...instance, issuer, browser: () => createBrowser(instance.url) };
}

describe('login with OpenID Connect', () => {
  // The provider prints warnings about its development keys.
  beforeAll(() => {
    const { warn, info } = console;
    Object.assign(console, { warn: () => undefined, info: () => undefined });
    return () => Object.assign(console, { warn, info });
  });

  it('gives an agent the role of their claim, with a session like any other', async () => {
    const { url, desk, audit, browser, issuer } = await startDesk();
    const idOf = (sub: string) => `openid:${new URL(issuer).host}:${sub}`;
    const una = browser();
    const back = await logInAtProvider(una, 'una');
    const answer = await una.visit(back);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(`url=${PUBLIC_URL}/`);
    const session = [...una.cookiesOf('desk.example')].find(([name]) => name === '__Host-handoff_desk-desk');
    const headers = { ...PUBLIC, cookie: `${session?.[0]}=${session?.[1]}` };
    const state = await (await fetch(`${url}/desk/api/state`, { headers })).json();
    expect(state).toMatchObject({ me: { id: idOf('una'), name: 'UNA', role: 'supervisor' } });
    expect((await audit()).map(({ agent, action }) => [agent, action])).toContainEqual([
      idOf('una'),
      'login by OpenID Connect',
    ]);
    // They have no password here, and none works for them.
    await desk.agents.save({ id: 'una', name: 'Una' }, PASSWORD);
    expect((await desk.agents.get(idOf('una')))?.name).toBe('UNA');
    const ida = browser();
    await ida.visit(await logInAtProvider(ida, 'ida'));
    expect((await desk.agents.get(idOf('ida')))?.role).toBe('administrator');
    // An administrator ends the session by removing the agent.
    await desk.agents.remove(idOf('una'));
    expect((await fetch(`${url}/desk/api/state`, { headers })).status).toBe(401);
  }, 60_000);

  it('refuses users without a role', async () => {
    const { desk, browser, audit } = await startDesk();
    const tom = browser();
    const answer = await tom.visit(await logInAtProvider(tom, 'tom'));
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('may not work')]);
    expect(await desk.agents.list()).toEqual([]);
    expect((await audit()).map(({ action }) => action)).toContain('refused: no role for this agent');
  }, 60_000);

  it('rejects answers that are forged, repeated, or of another browser', async () => {
    const { desk, browser, issuer } = await startDesk();
    const una = browser();
    const back = await logInAtProvider(una, 'una');
    const statusOf = async (who: ReturnType<typeof createBrowser>, address: string) =>
      (await who.visit(address)).status;
    // A victim that is made to open it would be logged in as somebody else.
    expect(await statusOf(browser(), back)).toBe(400);
    const wrongState = back.replace(/state=[^&]+/, 'state=forged');
    const other = browser();
    await other.visit(`${PUBLIC_URL}/login/openid`);
    expect(await statusOf(other, back)).toBe(400);
    expect(await statusOf(other, wrongState)).toBe(400);
    expect(await desk.agents.list()).toEqual([]);
    expect(await statusOf(una, back)).toBe(200);
    expect(await statusOf(una, back)).toBe(400);
    const ida = browser();
    const wrongCode = (await logInAtProvider(ida, 'ida')).replace(/code=[^&]+/, 'code=forged');
    expect(await statusOf(ida, wrongCode)).toBe(401);
    expect((await desk.agents.list()).map(({ id }) => id)).toEqual([`openid:${new URL(issuer).host}:una`]);
  }, 60_000);

  it('asks the provider with PKCE, state and nonce', async () => {
    const { url, browser, issuer } = await startDesk({ name: 'Acme' });
    const answer = await browser().visit(`${PUBLIC_URL}/login/openid`);
    const sent = new URL(answer.headers.get('location') ?? '');
    expect(sent.origin).toBe(issuer);
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${PUBLIC_URL}/login/openid/callback`,
    });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-.*HttpOnly; Secure; SameSite=Lax/);
    const options = await fetch(`${url}/desk/login/options`, { headers: PUBLIC });
    expect(await options.json()).toEqual({ openId: 'Acme' });
  }, 60_000);

  it('leaves passwords working while the provider is down', async () => {
    const { start } = await createDeskEnvironment();
    const openId = { issuer: 'http://127.0.0.1:9', ...CLIENT, roleClaim: 'groups', roles: ROLES };
    const { url, desk, logged } = await start({ publicUrl: PUBLIC_URL, trustProxy: true, openId });
    expect((await fetch(`${url}/desk/login/openid`, { headers: PUBLIC, redirect: 'manual' })).status).toBe(
      500,
    );
    expect(logged.text()).toContain('the desk failed');
    await desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
    const login = await fetch(`${url}/desk/login`, {
      method: 'POST',
      headers: { ...PUBLIC, origin: 'https://desk.example', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ann', password: PASSWORD }),
    });
    expect(login.status).toBe(204);
  });

  it('needs a public URL, an issuer on HTTPS and roles', async () => {
    const { start } = await createDeskEnvironment();
    const openId = { issuer: 'https://login.example', ...CLIENT, roleClaim: 'groups', roles: ROLES };
    await expect(start({ openId })).rejects.toThrow('publicUrl');
    const publicUrl = PUBLIC_URL;
    await expect(start({ publicUrl, openId: { ...openId, issuer: 'http://login.example' } })).rejects.toThrow(
      'HTTPS',
    );
    await expect(start({ publicUrl, openId: { ...openId, roles: {} } })).rejects.toThrow('openId.roles');
    const agents = () => null;
    await expect(start({ publicUrl, openId, agents })).rejects.toThrow('host application');
  });
});
