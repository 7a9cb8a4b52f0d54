import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../helpers/raw.js';
import { eventually, listen } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';

const NASTY =
  '</script><script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>\u2028';

describe('text from users', () => {
  it('is returned as JSON strings, whatever it holds', async () => {
    const { bench, instance, ann } = await deskWithHandoff();
    const user = { userId: NASTY, anonymousId: NASTY, email: NASTY, phone: NASTY };
    const transcript = [{ text: NASTY, message_type: 'QUESTION' as const }];
    const handoff = await bench.requestHandoff({ user, transcript });
    const id = await ann.idOf(handoff.id);
    const stream = await listen(instance.url, ann.cookie, { after: 0 });
    await bench.say(`${NASTY}\n\nid: 999\ndata: {"seq":999}`);
    await ann.act(id, 'note', { messageId: 'n1', text: NASTY });
    await eventually(async () => expect((await ann.conversation(id)).entries).toHaveLength(3));
    for (const path of [`/api/conversations/${id}`, '/api/state', `/api/conversations?search=${NASTY}`]) {
      const { headers, body } = await ann.get(path);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(JSON.stringify(body)).toContain('<img src=x onerror');
    }
    const view = await ann.conversation(id);
    expect(view.transcript).toEqual([{ from: 'user', text: NASTY }]);
    expect(view.summary.user).toMatchObject(user);
    // Line breaks in a message do not become events of their own.
    await eventually(() => expect(stream.entries.filter(({ summary }) => summary.id === id)).toHaveLength(3));
    expect(stream.entries.map(({ seq }) => seq)).not.toContain(999);
    stream.close();
    expect(instance.logged.text()).not.toContain('onerror');
  });

  it('cannot run: the policy allows no inline code and no other site', async () => {
    const { ann, instance } = await deskWithHandoff();
    const answers = [await ann.get('/'), await ann.get('/api/state'), await ann.get('/api/nothing')];
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
    const login = await fetch(`${instance.url}/desk/`);
    expect(login.headers.get('content-security-policy')).not.toContain('unsafe');
  });
});

describe('malformed requests', () => {
  it('are rejected and change nothing', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const path = `/api/conversations/${id}/note`;
    const post = (body: string, headers: Record<string, string> = {}) =>
      ann.send('POST', path, body, headers);
    const text = JSON.stringify({ text: 'Hello.' });
    expect((await post(JSON.stringify({ text: 'x'.repeat(300_000) }))).status).toBe(413);
    expect((await post('{"text": ')).status).toBe(400);
    expect((await post('"text"')).status).toBe(400);
    expect((await post(`{"text": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).status).toBe(400);
    expect((await post(JSON.stringify({ text: 7 }))).status).toBe(400);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ])
      expect((await post(text, { 'content-type': type })).status).toBe(415);
    expect((await post(text, { 'content-type': 'application/json; charset=nonsense' })).status).toBe(415);
    for (const action of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'steal'])
      expect((await ann.send('POST', `/api/conversations/${id}/${action}`, {})).status).toBe(404);
    expect((await ann.conversation(id)).entries).toHaveLength(1);
    const refused = (await instance.audit()).filter(({ action }) => action.startsWith('refused: '));
    expect(refused).toHaveLength(10);
    for (const { agent } of refused) expect(agent).toBe('ann');
    const spoilt =
      '{"messageId": "n2", "text": "Fine.", "__proto__": {"agent": "bob"}, "constructor": {"prototype": {"x": 1}}}';
    expect((await post(spoilt)).status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
    expect((await ann.conversation(id)).entries.at(-1)?.event).toEqual({
      type: 'note',
      messageId: 'n2',
      agent: 'ann',
      text: 'Fine.',
    });
  });

  it('get answers without a stack trace or a local path', async () => {
    const { ann } = await deskWithHandoff();
    for (const path of [
      '/api/conversations/%E0%A4%A',
      '/api/conversations/__proto__',
      '/api/conversations?before=1e9&search[]=x&state=constructor',
      '/api/dead/constructor/1',
      "/api/dead/inbox/1'%20OR%20'1'='1",
      '/api/events%00',
    ]) {
      const { status, body } = await ann.get(path);
      expect(status, path).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|\/src\/|at \w+ \(/);
    }
  });

  it('cannot use the message id of a close', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    expect((await ann.act(id, 'reply', { messageId: '', text: 'Hi' })).status).toBe(400);
    await ann.act(id, 'reply', { messageId: 'closed', text: 'Hi' });
    expect((await bench.nextReply()).text).toBe('Hi');
    expect((await ann.act(id, 'close', {})).status).toBe(200);
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
  });
});

const isBuilt = existsSync(resolve(import.meta.dirname, '../../dist/desk/page/assets/login'));

describe.skipIf(!isBuilt)('files of the page', () => {
  const TRAVERSALS = [
    '/assets/login/../../../../../package.json',
    '/assets/login/..%2f..%2findex.html',
    '/assets/login/%2e%2e/%2e%2e/index.html',
    '/assets/login/..%252f..%252findex.html',
    '/assets/login/..\\..\\index.html',
    '/assets/login/..%5c..%5cindex.html',
    '/assets/login/....//....//index.html',
    '/assets/login/%00/../../index.html',
    '/assets/login//etc/passwd',
    '/assets/..%2f..%2f..%2f..%2fpackage.json',
    '/..%2f..%2fpackage.json',
    '/icon.svg/../../../package.json',
    '/index.html',
    '/login.html',
    '/assets',
    '/assets/',
    '/assets/login',
    '/assets/login/',
  ];

  it('are limited to the login without a session', async () => {
    const { start } = await createDeskEnvironment();
    const { port, url } = await start();
    for (const path of TRAVERSALS) {
      const { status, body } = await sendRaw(port, { method: 'GET', path: `/desk${path}` });
      expect([path, [400, 401, 403, 404].includes(status)]).toEqual([path, true]);
      expect(body).not.toMatch(/"name": "handoff-kit"|<script|root:/);
    }
    const page = await (await fetch(`${url}/desk/`)).text();
    const [, script = ''] = /src="\.?\/?(assets\/login\/[^"]+)"/.exec(page) ?? [];
    expect((await fetch(`${url}/desk/${script}`)).status).toBe(200);
  });

  it('cannot be used by agents to leave their folder', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const ann = await instance.agent('ann');
    const headers = [['Cookie', ann.cookie]] as const;
    for (const path of TRAVERSALS) {
      const { body } = await sendRaw(instance.port, { method: 'GET', path: `/desk${path}`, headers });
      expect(body, path).not.toMatch(/"name": "handoff-kit"|root:/);
    }
    const page = (await ann.get<string>('/')).body;
    const [, script = ''] = /src="\.?\/?(assets\/[^"]+)"/.exec(page) ?? [];
    expect((await ann.get(`/${script}`)).status).toBe(200);
    expect((await fetch(`${instance.url}/desk/${script}`)).status).toBe(401);
  });
});
