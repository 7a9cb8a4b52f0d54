import { describe, expect, it } from 'vitest';
import { eventually } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';
import type { ProgramClient } from './program-client.js';
import { callerOf, createProgram } from './program-client.js';

async function start(role: ProgramClient['role'] = 'agent', options: { trustProxy?: boolean } = {}) {
  const { start: startDesk } = await createDeskEnvironment();
  const instance = await startDesk(options);
  const admin = await instance.agent('admin', 'administrator');
  const program = await createProgram(instance.url, admin, { role });
  return { ...instance, admin, program };
}

const REFUSED = { status: 401, body: { code: 'INVALID_TOKEN' } };

/** A token of the right form, which was never created. */
const madeUp = (nth = 0): string => `hkd_${`${nth}`.padStart(16, '0')}_${'A'.repeat(43)}`;

describe('a token', () => {
  it('of an agent does nothing for supervisors and administrators', async () => {
    const { program } = await start();
    for (const [method, path, body] of [
      ['GET', '/api/admin/agents'],
      ['GET', '/api/admin/tokens'],
      ['POST', '/api/admin/tokens', { name: 'x', role: 'administrator', expiresAt: null }],
      ['POST', '/api/admin/webhooks', { url: 'https://evil.example', events: ['note.added'], content: true }],
      ['POST', '/api/admin/agents/admin/role', { role: 'agent' }],
      ['GET', '/api/admin/audit'],
      ['GET', '/api/report?from=2026-01-01&to=2026-01-02'],
      ['GET', '/api/dead/inbox/1'],
      ['PUT', '/api/canned', { replies: [], version: 0 }],
    ] as const) {
      const answer = await program.call(method, path, body);
      expect([path, answer.status, answer.body]).toMatchObject([path, 403, { code: 'NOT_ALLOWED' }]);
    }
  });

  it('of an administrator creates no other tokens, and has no account', async () => {
    const { program, audit } = await start('administrator');
    const request = { name: 'Another', role: 'administrator', expiresAt: null };
    for (const [method, path] of [
      ['POST', '/api/admin/tokens'],
      ['GET', '/api/account'],
      ['POST', '/api/account/password'],
      ['POST', '/api/account/sessions/end'],
    ] as const) {
      const answer = await program.call(method, path, method === 'POST' ? request : undefined);
      expect([path, answer.status, answer.body]).toMatchObject([path, 403, { code: 'NOT_FOR_TOKENS' }]);
    }
    const refused = (await audit()).filter(({ action }) => action === 'refused: NOT_FOR_TOKENS');
    expect(refused.map(({ agent }) => agent)).toContain(program.id);
  });

  it('stops working when it is revoked, also on a live connection', async () => {
    const { url, admin, program } = await start();
    const stream = await fetch(`${url}/desk/api/events`, {
      headers: { authorization: `Bearer ${program.token}` },
    });
    const text = stream.text();
    await admin.send('POST', `/api/admin/tokens/${program.id}/revoke`, {});
    expect(await program.call('GET', '/api/state')).toMatchObject(REFUSED);
    expect(await text).toContain('event: gone');
  });

  it('stops working when its agent is removed', async () => {
    const { admin, program } = await start();
    await admin.send('POST', `/api/admin/agents/${program.id}/remove`, {});
    expect(await program.call('GET', '/api/state')).toMatchObject(REFUSED);
  });

  it('does not work after it has expired', async () => {
    const { url, admin } = await start();
    const expired = await createProgram(url, admin, { expiresAt: Date.now() - 1 });
    expect(await expired.call('GET', '/api/state')).toMatchObject(REFUSED);
  });

  it('is not accepted in a URL, a cookie or a form', async () => {
    const { url, admin, program } = await start();
    const name = admin.cookie.split('=')[0] ?? '';
    const call = callerOf(url, {});
    const query = ['token', 'access_token', 'api_key'].map((each) => `${each}=${program.token}`).join('&');
    expect((await call('GET', `/api/state?${query}`)).status).toBe(401);
    for (const headers of [
      { cookie: `${name}=${program.token}` },
      { 'x-desk-token': program.token },
      { 'x-api-key': program.token },
      { authorization: program.token },
      { authorization: `Basic ${Buffer.from(`x:${program.token}`).toString('base64')}` },
    ] as Record<string, string>[]) {
      expect([headers, (await call('GET', '/api/state', undefined, headers)).status]).toEqual([headers, 401]);
    }
    // It opens no page either.
    const page = await fetch(`${url}/desk/`, { headers: { authorization: `Bearer ${program.token}` } });
    expect(await page.text()).not.toContain('main-');
  });

  it('counts alone: a cookie beside it changes nothing', async () => {
    const { admin, program } = await start();
    const { body } = await program.call<{ me: { id: string } }>('GET', '/api/state', undefined, {
      cookie: admin.cookie,
    });
    expect(body.me.id).toBe(program.id);
    // Not the administrator of the cookie, whose token for forms it has.
    const both = { cookie: admin.cookie, 'x-desk-token': admin.token };
    expect((await program.call('GET', '/api/admin/agents', undefined, both)).status).toBe(403);
  });

  it('that is wrong is refused, whatever cookie is beside it', async () => {
    const { url, admin } = await start();
    const call = callerOf(url, { authorization: `Bearer ${madeUp()}`, cookie: admin.cookie });
    expect(await call('GET', '/api/state')).toMatchObject(REFUSED);
  });

  it('of another service leaves a session as it is, with its checks', async () => {
    const { url, admin } = await start();
    const foreign = { authorization: 'Bearer of-a-proxy', cookie: admin.cookie };
    const call = callerOf(url, foreign);
    expect((await call('GET', '/api/state')).status).toBe(200);
    // Not a way around the check of the origin.
    expect(await call('PUT', '/api/availability', { isAway: true })).toMatchObject({
      status: 403,
      body: { code: 'FORGED' },
    });
  });

  it('works from any origin, since no browser sends it by itself, and pages of others cannot read answers', async () => {
    const { program } = await start();
    const answer = await program.call(
      'PUT',
      '/api/availability',
      { isAway: false },
      { origin: 'https://x.example' },
    );
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is in no log, no audit line, no list and no answer but the first', async () => {
    const { admin, program, logged, audit, desk } = await start();
    await program.call('GET', '/api/state');
    await program.call('GET', '/api/nothing');
    await program.call('POST', '/api/admin/tokens', { name: 'x' });
    const wrong = `${program.token.slice(0, -1)}_`;
    const secret = program.token.slice('hkd_0123456789abcdef_'.length, -1);
    await program.call('GET', '/api/state', undefined, { authorization: `Bearer ${wrong}` });
    const everything = [
      logged.text(),
      JSON.stringify(await audit()),
      JSON.stringify(await desk.store.list('agent')),
      JSON.stringify((await admin.get('/api/admin/tokens')).body),
      JSON.stringify((await admin.get('/api/admin/agents')).body),
      JSON.stringify((await admin.state()).agents),
    ];
    for (const each of everything) expect(each).not.toContain(secret);
    expect((await audit()).map(({ action }) => action)).toContain('refused: invalid token');
  });

  it('has a body of limited size, read after the token', async () => {
    const { url, program } = await start();
    const large = JSON.stringify({ replies: [], version: 0, more: 'x'.repeat(300_000) });
    const path = '/api/availability';
    expect((await program.call('PUT', path, large)).status).toBe(413);
    const wrong = callerOf(url, { authorization: `Bearer ${madeUp()}` });
    expect(await wrong('PUT', path, large)).toMatchObject(REFUSED);
    expect((await program.call('PUT', path, 'x', { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe('guessing tokens', () => {
  it('is slowed down by address, and locks out no right one', async () => {
    const { url, program, audit } = await start('agent', { trustProxy: true });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const answers: number[] = [];
    for (let nth = 0; nth < 25; nth += 1) {
      const guess = callerOf(url, { authorization: `Bearer ${madeUp(nth)}` });
      answers.push((await guess('GET', '/api/state', undefined, from('203.0.113.7'))).status);
    }
    expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(answers.slice(20)).toContain(429);
    const guess = callerOf(url, { authorization: `Bearer ${madeUp()}` });
    expect((await guess('GET', '/api/state', undefined, from('203.0.113.8'))).status).toBe(401);
    expect((await program.call('GET', '/api/state', undefined, from('203.0.113.7'))).status).toBe(200);
    expect((await audit()).map(({ action }) => action)).toContain('refused: too many tokens');
  });

  it('learns nothing from the answers: wrong, revoked and malformed ones are the same', async () => {
    const { url, admin, program } = await start();
    const right = program.token;
    await admin.send('POST', `/api/admin/tokens/${program.id}/revoke`, {});
    const other = await createProgram(url, admin);
    const wrongSecret = `${other.token.slice(0, -43)}${'A'.repeat(43)}`;
    const answers = [];
    for (const token of [right, wrongSecret, madeUp(), 'hkd_', `${other.token}x`]) {
      const { status, body } = await callerOf(url, { authorization: `Bearer ${token}` })('GET', '/api/state');
      answers.push({ status, body });
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(answers[0]).toMatchObject(REFUSED);
  });
});

describe('a program', () => {
  it('cannot take a conversation from an agent, unless its role allows it', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const admin = await instance.agent('admin', 'administrator');
    const agent = await createProgram(instance.url, admin);
    const supervisor = await createProgram(instance.url, admin, { name: 'Router', role: 'supervisor' });
    await ann.act(id, 'claim', {});
    const path = `/api/conversations/${id}/transfer`;
    expect((await agent.call('POST', path, { to: agent.id })).status).toBe(403);
    expect((await supervisor.call('POST', path, { to: supervisor.id })).status).toBe(200);
    await eventually(async () => expect((await ann.conversation(id)).summary.agent).toBe(supervisor.id));
  });
});
