import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import type { AgentClient } from './agent-client.js';
import { deskDescription, operationsOf, problemsOf } from './described-answers.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';
import { createProgram } from './program-client.js';
import { routesOf } from './routes-of.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** Answers that other tests check: every client of theirs compares each answer with the description. */
const CHECKED_ELSEWHERE: readonly string[] = [
  'GET /api/events',
  'GET /api/push',
  'GET /api/report.csv',
  'GET /api/admin/audit/export',
  'GET /api/dead/{queue}/{id}',
  'POST /api/dead/{queue}/{id}/retry',
  'POST /api/dead/{queue}/{id}/discard',
  'POST /api/conversations/{id}/retry',
  'POST /api/push',
  'POST /api/push/remove',
  'POST /api/push/visible',
  'POST /api/teach',
  'POST /api/teach/remove',
  'POST /api/account/password',
  'PUT /api/account/totp',
  'POST /api/account/totp/off',
  'POST /api/account/sessions/end',
];

describe("the description of the desk's API", () => {
  it('has every route, and no other', async () => {
    const { start } = await createDeskEnvironment();
    const { desk } = await start();
    const routes = routesOf(desk).map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
    expect(operationsOf(await deskDescription()).toSorted()).toEqual(routes.toSorted());
  });

  it("passes Redocly's rules", async () => {
    const file = join(await temporaryFolder(), 'openapi.json');
    writeFileSync(file, JSON.stringify(await deskDescription()));
    const lint = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
    const report = execFileSync(process.execPath, [lint, 'lint', '--format=json', file], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { totals, problems } = JSON.parse(report.slice(report.indexOf('{')));
    expect([totals, problems]).toEqual([{ errors: 0, warnings: 0, ignored: 0 }, []]);
  });

  it('is served to agents and programs, and to nobody else', async () => {
    const { start } = await createDeskEnvironment();
    const { url, agent } = await start();
    const admin = await agent('admin', 'administrator');
    const program = await createProgram(url, admin);
    expect((await program.call('GET', '/api/openapi.json')).body).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/desk' }],
    });
    expect((await fetch(`${url}/desk/api/openapi.json`)).status).toBe(401);
  });

  it('fits the answers of every operation', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true });
    const admin = await instance.agent('admin', 'administrator');
    await instance.agent('bob', 'agent');
    const answered = new Set<string>();
    const call = async (
      method: string,
      template: string,
      path: string,
      body?: unknown,
      client: AgentClient = admin,
    ) => {
      const answer =
        method === 'GET'
          ? await client.get(path)
          : await client.send(method as 'POST' | 'PUT', path, body ?? {});
      expect([template, answer.status < 300, answer.body]).toEqual([template, true, answer.body]);
      expect(await problemsOf(method, path.split('?')[0] ?? '', answer.status, answer.body)).toEqual([]);
      answered.add(`${method} ${template}`);
      return answer.body;
    };
    const get = (path: string, query = '') => call('GET', path, `${path}${query}`);
    const put = (path: string, body: unknown) => call('PUT', path, path, body);
    const post = (path: string, body: unknown = {}) => call('POST', path, path, body);
    const of = '/api/conversations/{id}';
    const act = (action: string, input: object, client = ann) =>
      call('POST', `${of}/${action}`, `/api/conversations/${id}/${action}`, input, client);

    await act('claim', {});
    await act('reply', { messageId: 'm-1', text: 'Hello.' });
    await bench.nextReply();
    await bench.say('Thanks.');
    await act('note', { messageId: 'n-1', text: 'For @bob.' });
    await act('tag', { add: ['vip'], remove: [] });
    await act('priority', { priority: 'high' });
    await act('read', { customerMessages: 1 });
    await ann.deliveries(id, 'm-1');
    await expect.poll(() => ann.deliveries(id, 'm-1')).toContain('sent');
    await act('snooze', { until: Date.now() + 60_000 });
    await act('transfer', { to: 'admin' });
    await act('release', {}, admin);
    const teams = { teams: [{ id: 't', name: 'Sales', members: ['bob'] }], version: 0 };
    await put('/api/teams', teams);
    await act('pass', { team: 't' });
    await act('claim', {});
    await act('close', {});

    for (const path of ['/api/state', '/api/agents', '/api/conversations', '/api/canned', '/api/teach'])
      await get(path);
    for (const path of ['/api/dashboard', '/api/teams', '/api/account', '/api/openapi.json']) await get(path);
    await get('/api/conversations', '?search=Hello');
    const one = (more: string) => call('GET', `${of}${more}`, `/api/conversations/${id}${more}`);
    await one('');
    await one('/entries');
    await one('/customer');
    await get('/api/report', '?from=2026-01-01&to=2026-12-31');
    await post('/api/bulk', { ids: [id, 'none'], action: 'tag', input: { add: ['x'], remove: [] } });
    const filter = { id: 'f', name: 'Mine', view: 'mine', bot: null, tag: null, priority: 'high' };
    await put('/api/filters', { filters: [filter] });
    await post('/api/presence', { conversation: id, isTyping: true });
    await put('/api/availability', { isAway: false });
    await put('/api/canned', { replies: [{ id: 'a', title: 'A', text: 'B' }], version: 0 });
    await post('/api/account/active');
    await post('/api/account/totp/new');

    for (const name of ['agents', 'login-policy', 'hours', 'assignment', 'audit', 'tokens', 'webhooks'])
      await get(`/api/admin/${name}`);
    await post('/api/admin/agents', { id: 'cleo', name: 'Cleo', role: 'agent' });
    const agent = (action: string, body = {}) =>
      call('POST', `/api/admin/agents/{id}/${action}`, `/api/admin/agents/cleo/${action}`, body);
    await agent('role', { role: 'supervisor' });
    await agent('password');
    await agent('remove');
    await put('/api/admin/login-policy', { requiresTotp: false });
    const hours = {
      mode: 'weekly',
      timeZone: 'UTC',
      open: { mon: ['09:00-17:00'] },
      closedOn: [],
      message: '',
    };
    await put('/api/admin/hours', { ...hours, version: 0 });
    const bots = [{ bot: 'default', to: { kind: 'team', id: 't' } }];
    await put('/api/admin/assignment', { method: 'leastBusy', capacity: 3, bots, version: 0 });
    const token = await post('/api/admin/tokens', {
      name: 'CRM',
      role: 'agent',
      expiresAt: Date.now() + 60_000,
    });
    await get('/api/admin/tokens');
    const tokenPath = `/api/admin/tokens/${(token as { id: string }).id}/revoke`;
    await call('POST', '/api/admin/tokens/{id}/revoke', tokenPath);
    const request = { url: 'http://127.0.0.1:1/', events: ['note.added'], content: false };
    const webhook = await post('/api/admin/webhooks', request);
    await get('/api/admin/webhooks');
    for (const action of ['enable', 'remove']) {
      const path = `/api/admin/webhooks/${(webhook as { id: string }).id}/${action}`;
      await call('POST', `/api/admin/webhooks/{id}/${action}`, path);
    }
    const left = operationsOf(await deskDescription()).filter((each) => !answered.has(each));
    expect(left.toSorted()).toEqual(CHECKED_ELSEWHERE.toSorted());
  });

  it('does not fit another answer', async () => {
    const problems = await problemsOf('GET', '/api/teams', 200, {
      teams: [{ id: 't', name: 'Sales' }],
      version: 0,
    });
    expect(problems.join()).toContain('members');
    expect(await problemsOf('GET', '/api/teams', 200, { teams: [], version: 0, more: 1 })).toHaveLength(1);
    expect(await problemsOf('POST', '/api/presence', 200, {})).toHaveLength(1);
  });
});
