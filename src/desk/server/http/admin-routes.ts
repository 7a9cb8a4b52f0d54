import { randomBytes } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { Request } from 'express';
import { z } from 'zod';
import {
  type AgentView,
  adminAgentView,
  auditPage,
  hoursView,
  loginPolicyView,
  newPassword,
  teamList,
} from '../../api.js';
import type { Account } from '../agents/account.js';
import type { Agents } from '../agents/agents.js';
import { ROLES } from '../agents/roles.js';
import { type Audit, type AuditEntry, type AuditFilter, findAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import type { Hours } from '../hours.js';
import type { LoginPolicy, Teams } from '../settings.js';
import type { DocumentStore } from '../store/index.js';
import type { AgentRoutes } from './agent-routes.js';
import { queryNumber, queryText } from './validate.js';

export interface AdminRoutesParts {
  readonly store: DocumentStore;
  readonly agents: Agents;
  readonly account: Account;
  readonly policy: LoginPolicy;
  readonly teams: Teams;
  readonly hours: Hours;
  readonly audit: Audit;
}

const auditQuery = z.object({
  search: queryText,
  since: queryNumber,
  until: queryNumber,
  before: queryNumber,
});
const exportQuery = auditQuery.extend({ format: z.enum(['csv', 'jsonl']).optional().catch(undefined) });
const role = z.enum(ROLES);
const newAgent = z.object({ id: z.string().max(100), name: z.string().max(200), role });
const newRole = z.object({ role });
const loginPolicy = z.object({ requiresTotp: z.boolean() });
const id = z.string().min(1).max(200);
const teamsChange = z.object({
  teams: z
    .array(z.object({ id, name: z.string().trim().min(1).max(100), members: z.array(id).max(1_000) }))
    .max(200),
  version: z.int().min(0),
});

const weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
const hoursChange = z.object({
  mode: z.enum(['always', 'weekly', 'configured']),
  timeZone: z.string().min(1).max(100),
  open: z.partialRecord(weekday, z.array(z.string().max(11)).max(10)),
  closedOn: z.array(z.string().max(10)).max(500),
  message: z.string().trim().max(20_000),
  version: z.int().min(0),
});

/** Lines of the audit log on a page. */
const AUDIT_PAGE = 100;

/** A password that is shown once; 120 random bits. */
const createPassword = (): string => randomBytes(15).toString('base64url');

/** Adds the routes for administrators: agents, teams, business hours and the audit log. */
export function addAdminRoutes(routes: AgentRoutes, parts: AdminRoutesParts): void {
  const { store, agents, account, policy, teams, hours, audit } = parts;

  /** The agent of the path, who must not be the administrator: so there is always one left. */
  const otherOf = async ({ agent }: { agent: AgentView }, { params }: Request): Promise<AgentView> => {
    const other = await agents.get(String(params.id));
    if (!other) throw new DeskError('NO_SUCH_AGENT');
    if (other.id === agent.id) throw new DeskError('NOT_YOURSELF');
    return other;
  };

  routes.get('/api/teams', 'answer', { summary: 'The teams', answer: teamList }, () => teams.list());
  routes.change(
    'put',
    '/api/teams',
    'manageAgents',
    { summary: 'Replaces the teams', body: teamsChange, answer: teamList },
    ({ agent, body }) => teams.save(agent, body),
  );
  routes.get(
    '/api/admin/agents',
    'manageAgents',
    { summary: 'The agents, and how they log in', answer: z.array(adminAgentView) },
    async () => {
      const all = await agents.list();
      return Promise.all(all.map(async (agent) => ({ ...agent, ...(await account.factors(agent.id)) })));
    },
  );
  routes.change(
    'post',
    '/api/admin/agents',
    'manageAgents',
    { summary: 'Adds an agent, with a password that is shown once', body: newAgent, answer: newPassword },
    async ({ agent: me, body: agent }) => {
      if (await agents.get(agent.id)) throw new DeskError('AGENT_EXISTS');
      const password = createPassword();
      await agents.save(agent, password, me.id);
      return { password };
    },
  );
  routes.change(
    'post',
    '/api/admin/agents/:id/role',
    'manageAgents',
    { summary: 'Changes the role of an agent', body: newRole },
    async (call, request) => {
      await agents.setRole((await otherOf(call, request)).id, call.body.role, call.agent.id);
    },
  );
  routes.change(
    'post',
    '/api/admin/agents/:id/password',
    'manageAgents',
    { summary: 'Gives an agent a new password, which is shown once', answer: newPassword },
    async (call, request) => {
      const agent = await otherOf(call, request);
      const { hasPassword } = await account.factors(agent.id);
      if (!hasPassword) throw new DeskError('NO_PASSWORD');
      const password = createPassword();
      await agents.save(agent, password, call.agent.id);
      return { password };
    },
  );
  routes.change(
    'post',
    '/api/admin/agents/:id/remove',
    'manageAgents',
    { summary: 'Removes an agent, and releases their conversations' },
    async (call, request) => {
      await agents.remove((await otherOf(call, request)).id, call.agent.id);
    },
  );

  routes.get(
    '/api/admin/login-policy',
    'manageAgents',
    { summary: 'What logins require', answer: loginPolicyView },
    () => policy.get(),
  );
  routes.change(
    'put',
    '/api/admin/login-policy',
    'manageAgents',
    { summary: 'Changes what logins require', body: loginPolicy, answer: loginPolicyView },
    ({ agent, body }) => policy.save(agent, body),
  );

  routes.get('/api/admin/hours', 'manageAgents', { summary: 'The business hours', answer: hoursView }, () =>
    hours.read(),
  );
  routes.change(
    'put',
    '/api/admin/hours',
    'manageAgents',
    { summary: 'Replaces the business hours', body: hoursChange, answer: hoursView },
    ({ agent, body }) => hours.save(agent, body),
  );

  routes.get(
    '/api/admin/audit',
    'readAudit',
    { summary: 'Lines of the audit log, latest first', query: auditQuery, answer: auditPage },
    async ({ query }) => {
      const entries = [];
      for await (const entry of findAudit(store, filterOf(query))) {
        entries.push({ ...entry, at: entry.at.getTime() });
        if (entries.length > AUDIT_PAGE) break;
      }
      return { entries: entries.slice(0, AUDIT_PAGE), more: entries.length > AUDIT_PAGE };
    },
  );
  routes.get(
    '/api/admin/audit/export',
    'readAudit',
    { summary: 'The audit log as JSON lines or CSV', query: exportQuery, answer: 'application/x-ndjson' },
    async ({ agent, query: { format, ...query } }, _request, response) => {
      const isCsv = format === 'csv';
      const filter = filterOf(query);
      await audit.write(agent.id, 'audit log exported', { after: { ...filter } });
      response.attachment(`audit.${isCsv ? 'csv' : 'jsonl'}`);
      response.type(isCsv ? 'text/csv' : 'application/x-ndjson');
      // Excel takes a file without the byte-order mark for one of an old encoding.
      if (isCsv) response.write(`\uFEFF${CSV_COLUMNS.join(',')}\r\n`);
      for await (const entry of findAudit(store, filter)) {
        if (response.destroyed) return;
        const isRoomLeft = response.write(isCsv ? csvLine(entry) : `${JSON.stringify(entry)}\n`);
        if (!isRoomLeft) await drained(response);
      }
      response.end();
    },
  );
}

const CSV_COLUMNS = ['at', 'agent', 'from', 'action', 'conversationId', 'detail', 'before', 'after'];

/** Names and details come from anyone who tries to log in: a spreadsheet must not run one that begins like a formula. */
const csvLine = (entry: AuditEntry): string =>
  stringify([entry], {
    columns: CSV_COLUMNS,
    quoted: true,
    quoted_empty: true,
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { date: (date) => date.toISOString() },
  });

const drained = (response: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });

/** Without the fields that are not given. */
const filterOf = (query: z.output<typeof auditQuery>): AuditFilter =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''));
