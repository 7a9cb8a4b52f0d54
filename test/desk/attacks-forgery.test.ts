import { describe, expect, it } from 'vitest';
import { eventually, postLogin } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff, PASSWORD } from './desk-environment.js';

const NAVIGATION = ['cross-site', 'same-site', 'none'];

describe('a change from another page', () => {
  it('is rejected by its origin and logged', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const path = `/api/conversations/${id}/claim`;
    const forged = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${instance.url}.evil.example` },
      { origin: instance.url.replace('127.0.0.1', 'localhost') },
      { origin: instance.url.replace(/:\d+$/, ':1') },
      { origin: '' },
      ...NAVIGATION.map((site) => ({ 'sec-fetch-site': site })),
    ];
    for (const headers of forged) {
      expect(await ann.send('POST', path, {}, headers), JSON.stringify(headers)).toMatchObject({
        status: 403,
        body: { code: 'FORGED' },
      });
    }
    expect((await ann.conversation(id)).summary.agent).toBeNull();
    const rejected = (await instance.audit()).filter(({ action }) => action === 'refused: forged request');
    expect(rejected).toHaveLength(forged.length);
    for (const { agent, detail, at } of rejected) {
      expect(agent).toBe('ann');
      expect(detail).toContain(path);
      expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(600_000);
    }
    expect(instance.logged.about('forged request')).toHaveLength(forged.length);
    expect((await ann.send('POST', path, {}, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is rejected without the token of its session', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    const path = `/api/conversations/${id}/claim`;
    const tokens = [
      '',
      'undefined',
      bob.token,
      `${ann.token}x`,
      ann.token.slice(1),
      'A'.repeat(ann.token.length),
    ];
    for (const token of tokens) {
      expect((await ann.send('POST', path, {}, { 'x-desk-token': token })).status).toBe(403);
    }
    for (const [method, where] of [
      ['PUT', '/api/canned'],
      ['POST', '/api/teach'],
      ['POST', '/api/dead/inbox/1/retry'],
      ['POST', '/api/dead/outbox/1/discard'],
    ] as const)
      expect((await ann.send(method, where, {}, { 'x-desk-token': bob.token })).status).toBe(403);
    expect((await ann.conversation(id)).summary.agent).toBeNull();
    expect(instance.logged.text()).not.toContain(bob.token);
  });

  it('cannot log an agent in or out', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const ann = await instance.agent('ann');
    const login = { name: 'ann', password: PASSWORD };
    const answer = await postLogin(instance.url, login, { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await ann.send('POST', '/logout', {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await ann.get('/api/state')).status).toBe(200);
    const lines = (await instance.audit()).filter(({ action }) => action === 'refused: not from the page');
    expect(lines).toMatchObject([{ agent: null }, { agent: null }]);
  });

  it('is told apart from one of the own page behind a proxy', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start({ trustProxy: true });
    const ann = await instance.agent('ann');
    const through = {
      origin: 'https://desk.example',
      'x-forwarded-host': 'desk.example',
      'x-forwarded-proto': 'https',
    };
    const save = (headers: Record<string, string>) =>
      ann.send('PUT', '/api/canned', { replies: [], version: 0 }, headers);
    expect((await save(through)).status).toBe(200);
    // A desk on HTTPS rejects a page on HTTP.
    expect((await save({ ...through, origin: 'http://desk.example' })).status).toBe(403);
    expect((await save({ ...through, origin: 'https://evil.example' })).status).toBe(403);
    const untrusting = await start();
    const bob = await untrusting.agent('bob');
    expect((await bob.send('PUT', '/api/canned', { replies: [], version: 0 }, through)).status).toBe(403);
  });
});

describe('an agent', () => {
  it('cannot act for another agent', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    const as = { agent: 'ann', agentId: 'ann', me: 'ann', id: 'ann', name: 'ANN' };
    await bob.send('POST', `/api/conversations/${id}/claim?agent=ann`, as, { 'x-agent': 'ann' });
    await bob.send('POST', `/api/conversations/${id}/reply`, { ...as, messageId: 'm1', text: 'It is me.' });
    await bench.nextReply();
    await bob.send('POST', `/api/conversations/${id}/note`, { ...as, messageId: 'n1', text: 'A note.' });
    const { summary, entries } = await bob.conversation(id);
    expect(summary.agent).toBe('bob');
    expect(JSON.stringify(entries)).not.toContain('"ann"');
    const lines = (await instance.audit()).filter(({ conversationId }) => conversationId !== undefined);
    expect(lines.map(({ agent, action }) => [agent, action])).toEqual([
      ['bob', 'claim'],
      ['bob', 'reply'],
      ['bob', 'note'],
    ]);
    for (const [action, body] of [
      ['reply', { messageId: 'm2', text: 'Let me.' }],
      ['release', {}],
      ['close', {}],
    ] as const)
      expect(await ann.act(id, action, body)).toMatchObject({ status: 409, body: { code: 'NOT_YOURS' } });
    await eventually(async () => {
      const refused = (await instance.audit()).filter(({ action }) => action === 'refused: NOT_YOURS');
      expect(refused.map(({ agent }) => agent)).toEqual(['ann', 'ann', 'ann']);
    });
  });
});
