import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import type { AccountView, AuditPage } from '../../src/desk/api.js';
import { postgresStore } from '../helpers/postgres.js';
import { logIn, postLogin, statusesOf } from './agent-client.js';
import { createDeskEnvironment, PASSWORD } from './desk-environment.js';

it('keeps accounts, codes, roles, teams and the audit log together at two desks on one PostgreSQL database', async () => {
  const { connectionString, schema } = await postgresStore();
  const { start } = await createDeskEnvironment({
    open: async () => postgres({ connectionString, schema, pollMs: 200, pool: { max: 5 } }),
  });
  const [left, right] = [await start(), await start()];
  const boss = await left.agent('boss', 'administrator');

  // Of two administrators who change the teams at once, one is told.
  const team = (name: string) => ({ teams: [{ id: name, name, members: ['boss'] }], version: 0 });
  const again = await logIn(right.url, 'boss', PASSWORD);
  const saved = await Promise.all([
    boss.send('PUT', '/api/teams', team('Day')),
    again.send('PUT', '/api/teams', team('Night')),
  ]);
  expect(statusesOf(saved)).toEqual([200, 409]);

  // Of two logins with one code, at two desks, one succeeds.
  const { secret } = (await boss.send('POST', '/api/account/totp/new', {})).body as { secret: string };
  const app = new TOTP({ secret });
  const now = Date.now();
  const setup = { password: PASSWORD, secret, code: app.generate({ timestamp: now }) };
  expect((await boss.send('PUT', '/api/account/totp', setup)).status).toBe(200);
  const login = { name: 'boss', password: PASSWORD, code: app.generate({ timestamp: now + 30_000 }) };
  const logins = await Promise.all([postLogin(left.url, login), postLogin(right.url, login)]);
  expect(logins.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 401]);

  // Sessions of both desks are listed, and ended everywhere.
  const { sessions } = (await boss.get<AccountView>('/api/account')).body;
  expect(sessions).toHaveLength(3);
  await boss.send('POST', '/api/account/sessions/end', { session: 'others' });
  expect((await again.get('/api/state')).status).toBe(401);

  const ann = await right.agent('ann', 'agent');
  await boss.send('POST', '/api/admin/agents/ann/role', { role: 'supervisor' });
  expect((await ann.state()).me.role).toBe('supervisor');
  const { entries } = (await boss.get<AuditPage>('/api/admin/audit?search=role changed')).body;
  expect(entries).toMatchObject([{ agent: 'boss', detail: 'ann', after: { role: 'supervisor' } }]);
}, 120_000);
