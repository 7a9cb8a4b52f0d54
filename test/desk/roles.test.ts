import { describe, expect, it } from 'vitest';
import type { DashboardView } from '../../src/desk/api.js';
import { createAgents } from '../../src/desk/server/agents/agents.js';
import { type AgentRole, ROLES } from '../../src/desk/server/agents/roles.js';
import { ACTION_SCHEMAS } from '../../src/desk/server/http/validate.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { clientOf, cookieOf, eventually } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';
import { routesOf } from './routes-of.js';

/** The lowest role for every route. A route that is missing here fails the test. */
const LOWEST_ROLE: Readonly<Record<string, AgentRole>> = {
  'GET /api/state': 'agent',
  'GET /api/agents': 'agent',
  'GET /api/events': 'agent',
  'GET /api/conversations': 'agent',
  'GET /api/conversations/:id': 'agent',
  'GET /api/conversations/:id/entries': 'agent',
  'GET /api/conversations/:id/customer': 'agent',
  ...Object.fromEntries(
    Object.keys(ACTION_SCHEMAS).map((action) => [`POST /api/conversations/:id/${action}`, 'agent'] as const),
  ),
  'POST /api/bulk': 'agent',
  'PUT /api/filters': 'agent',
  'POST /api/presence': 'agent',
  'GET /api/push': 'agent',
  'POST /api/push': 'agent',
  'POST /api/push/remove': 'agent',
  'POST /api/push/visible': 'agent',
  'GET /api/report': 'supervisor',
  'GET /api/report.csv': 'supervisor',
  'GET /api/canned': 'agent',
  'PUT /api/canned': 'supervisor',
  'GET /api/teach': 'agent',
  'POST /api/teach': 'supervisor',
  'POST /api/teach/remove': 'supervisor',
  'GET /api/dashboard': 'agent',
  'GET /api/dead/:queue/:id': 'supervisor',
  'POST /api/dead/:queue/:id/retry': 'supervisor',
  'POST /api/dead/:queue/:id/discard': 'supervisor',
  'GET /api/account': 'agent',
  'POST /api/account/active': 'agent',
  'POST /api/account/password': 'agent',
  'POST /api/account/totp/new': 'agent',
  'PUT /api/account/totp': 'agent',
  'POST /api/account/totp/off': 'agent',
  'POST /api/account/sessions/end': 'agent',
  'PUT /api/availability': 'agent',
  'GET /api/admin/assignment': 'administrator',
  'PUT /api/admin/assignment': 'administrator',
  'GET /api/teams': 'agent',
  'PUT /api/teams': 'administrator',
  'GET /api/admin/agents': 'administrator',
  'POST /api/admin/agents': 'administrator',
  'POST /api/admin/agents/:id/role': 'administrator',
  'POST /api/admin/agents/:id/password': 'administrator',
  'POST /api/admin/agents/:id/remove': 'administrator',
  'GET /api/admin/login-policy': 'administrator',
  'PUT /api/admin/login-policy': 'administrator',
  'GET /api/admin/hours': 'administrator',
  'PUT /api/admin/hours': 'administrator',
  'GET /api/admin/audit': 'administrator',
  'GET /api/admin/audit/export': 'administrator',
  'GET /api/admin/tokens': 'administrator',
  'POST /api/admin/tokens': 'administrator',
  'POST /api/admin/tokens/:id/revoke': 'administrator',
  'GET /api/admin/webhooks': 'administrator',
  'POST /api/admin/webhooks': 'administrator',
  'POST /api/admin/webhooks/:id/enable': 'administrator',
  'POST /api/admin/webhooks/:id/remove': 'administrator',
  'GET /api/openapi.json': 'agent',
};

const VALUES: Readonly<Record<string, string>> = { ':queue': 'inbox', ':id': 'none' };

describe('roles', () => {
  it('are checked for every route', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const routes = routesOf(instance.desk);
    expect(routes.toSorted()).toEqual(Object.keys(LOWEST_ROLE).toSorted());
    for (const role of ROLES) {
      const agent = await instance.agent(`the-${role}`, role);
      for (const route of routes.filter((each) => each !== 'GET /api/events')) {
        const [method = '', path = ''] = route.split(' ');
        const where = path.replace(/:\w+/g, (name) => VALUES[name] ?? 'none');
        const answer =
          method === 'GET' ? await agent.get(where) : await agent.send(method as 'POST' | 'PUT', where, {});
        const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(LOWEST_ROLE[route] ?? 'administrator');
        const isRefused = answer.status === 403;
        expect([role, route, isRefused]).toEqual([role, route, !isAllowed]);
        if (isRefused) expect(answer.body).toMatchObject({ code: 'NOT_ALLOWED' });
      }
    }
    const refused = (await instance.audit()).filter(({ action }) => action === 'refused: NOT_ALLOWED');
    expect(refused.map(({ agent }) => agent)).toContain('the-agent');
    expect(refused.some(({ detail }) => detail?.includes('/api/dead/inbox/none'))).toBe(true);
  }, 120_000);

  it('keep a conversation with its agent, unless a supervisor takes it over', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob', 'agent');
    const cleo = await instance.agent('cleo', 'supervisor');
    await ann.act(id, 'claim', {});
    for (const to of ['bob', 'cleo']) {
      expect(await bob.act(id, 'transfer', { to })).toMatchObject({
        status: 403,
        body: { code: 'NOT_ALLOWED' },
      });
    }
    expect((await bob.conversation(id)).summary.agent).toBe('ann');
    expect((await cleo.act(id, 'transfer', { to: 'bob' })).status).toBe(200);
    // Their own one, agents may pass on.
    expect((await bob.act(id, 'transfer', { to: 'ann' })).status).toBe(200);
  });

  it('hide dead letters and teaching from agents', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    const bob = await instance.agent('bob', 'agent');
    bench.faults.set('answerError');
    await ann.say(id, 'Dead letter.');
    await eventually(async () =>
      expect((await ann.get<DashboardView>('/api/dashboard')).body.dead).toHaveLength(1),
    );
    expect((await bob.get<DashboardView>('/api/dashboard')).body.dead).toEqual([]);
    expect([(await ann.state()).canTeach, (await bob.state()).canTeach]).toEqual([true, false]);
    expect((await bob.state()).may).not.toContain('teach');
  });

  it('apply from the next request on', async () => {
    const { start } = await createDeskEnvironment();
    const { agent, desk } = await start();
    const ann = await agent('ann', 'agent');
    const save = () => ann.send('PUT', '/api/canned', { replies: [], version: 0 });
    expect((await save()).status).toBe(403);
    expect(await desk.agents.setRole('ann', 'supervisor')).toBe(true);
    expect((await save()).status).toBe(200);
    expect(await desk.agents.setRole('nobody', 'agent')).toBe(false);
  });

  it('of agents at a host application come from there, and are agent without one', async () => {
    const { start } = await createDeskEnvironment();
    const user: { id: string; name: string; role?: AgentRole } = { id: 'u-1', name: 'Una' };
    const instance = await start({ agents: () => user });
    const cookie = cookieOf(await fetch(`${instance.url}/desk/`));
    const una = await clientOf(instance.url, cookie);
    const me = async () => (await una.state()).me.role;
    expect(await me()).toBe('agent');
    user.role = 'administrator';
    expect(await me()).toBe('administrator');
  });

  it('make the first agent an administrator, and later ones agents', async () => {
    const store = createMemoryDocumentStore();
    const agents = createAgents(store);
    const password = 'correct horse battery';
    await agents.save({ id: 'ann', name: 'Ann' }, password);
    await agents.save({ id: 'bob', name: 'Bob' }, password);
    await agents.save({ id: 'cleo', name: 'Cleo', role: 'supervisor' }, password);
    // A new password does not change the role.
    await agents.save({ id: 'cleo', name: 'Cleo' }, password);
    const roles = async () => Object.fromEntries((await agents.list()).map(({ id, role }) => [id, role]));
    expect(await roles()).toEqual({ ann: 'administrator', bob: 'agent', cleo: 'supervisor' });
  });
});
