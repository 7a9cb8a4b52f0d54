import { randomUUID } from 'node:crypto';
import type { AgentView } from '../../api.js';
import { createAudit } from '../audit.js';
import { createConversationRecords, recordOf } from '../conversations/conversation-records.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import { hashPassword, passwordProblem } from './password.js';
import type { AgentRole } from './roles.js';
import {
  type AgentInput,
  agentViewOf,
  createAgentDocuments,
  invalidAgent,
  type StoredAgent,
} from './stored-agent.js';

/** What sessions are checked against. */
export interface AgentCredentials {
  readonly agent: AgentView;
  /** Changes with every new password. */
  readonly passwordVersion: string;
  /** Whether a password is all that the agent needs to log in. */
  readonly hasPasswordOnly: boolean;
}

/** The agents who may work at the desk. */
export interface Agents {
  list(): Promise<readonly AgentView[]>;
  get(id: string): Promise<AgentView | null>;
  /** What sessions of an agent are checked against. */
  credentials(id: string): Promise<AgentCredentials | null>;
  /**
   * Adds an agent, or gives an existing one a new password and name, which ends their sessions. Without a role, the
   * first agent of all becomes an administrator, later ones agents, and existing ones keep theirs. `by` is the
   * administrator who does it, for the audit log.
   *
   * @example
   * await desk.agents.save({ id: 'ann', name: 'Ann Lee', role: 'supervisor' }, password);
   */
  save(agent: AgentInput, password: string, by?: string): Promise<'added' | 'changed'>;
  /** Gives an agent another role; `false` if the agent does not exist. */
  setRole(id: string, role: AgentRole, by?: string): Promise<boolean>;
  /** Stores an agent who logs in elsewhere, so that others can see them and transfer to them. */
  saveExternal(agent: AgentView): Promise<void>;
  /** Removes an agent, ends their sessions and releases their conversations; `false` if the agent does not exist. */
  remove(id: string, by?: string): Promise<boolean>;
}

/** More conversations than a team has open at a time. */
const MAX_ACTIVE = 10_000;

const LOGIN_NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

export function createAgents(store: DocumentStore): Agents {
  const audit = createAudit(store);
  const records = createConversationRecords(store);
  const kind = DOCUMENT_KIND.agent;
  const { find, change } = createAgentDocuments(store);

  /** Releases the conversations of a removed agent. */
  const releaseAll = async (id: string): Promise<void> => {
    const active = await store.list(DOCUMENT_KIND.conversation, { group: 'active', limit: MAX_ACTIVE });
    for (const document of active.filter((each) => recordOf(each).agent === id)) {
      await records.change(document.id, (record) => {
        if (record.agent !== id || record.state !== 'active') return null;
        return {
          record: { ...record, state: 'waiting', agent: null },
          events: [{ type: 'released', agent: id }],
        };
      });
    }
  };

  const firstRole = async (): Promise<AgentRole> =>
    (await store.list(kind, { limit: 1 })).length === 0 ? 'administrator' : 'agent';

  return {
    async list() {
      const documents = await store.list(kind, { limit: 1_000 });
      return documents
        .map(({ value }) => agentViewOf(value as StoredAgent))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    async get(id) {
      const found = await find(id);
      return found ? agentViewOf(found.agent) : null;
    },
    async credentials(id) {
      const found = await find(id);
      if (!found) return null;
      const { password, passwordVersion = '', totp } = found.agent;
      return { agent: agentViewOf(found.agent), passwordVersion, hasPasswordOnly: password !== '' && !totp };
    },
    async save({ id, name, role }, password, by) {
      if (!LOGIN_NAME.test(id)) {
        throw invalidAgent('a login name is lower-case letters, digits, dots, hyphens and @, at most 64.');
      }
      if (name.trim() === '' || name.length > 100) throw invalidAgent('a name has 1 to 100 characters.');
      const problem = await passwordProblem(password, id);
      if (problem) throw invalidAgent(problem);
      const { hashed } = await hashPassword(password);
      const roleOfNew = role ?? (await firstRole());
      const before = await change(id, (stored) => {
        const newRole = role ?? (stored ? agentViewOf(stored).role : roleOfNew);
        const addedAt = stored?.addedAt ?? Date.now();
        const credentials = { password: hashed, passwordVersion: randomUUID() };
        const agent: StoredAgent = { id, name, role: newRole, ...credentials, addedAt };
        const action = stored ? 'agent changed' : 'agent added';
        const line = audit.line(by ?? null, action, {
          detail: id,
          ...(stored && { before: { name: stored.name, role: agentViewOf(stored).role } }),
          after: { name, role: newRole },
        });
        return { agent, append: [line] };
      });
      return before ? 'changed' : 'added';
    },
    async setRole(id, role, by) {
      const before = await change(id, (agent) => {
        if (!agent || agent.role === role) return null;
        const roles = { before: { role: agentViewOf(agent).role }, after: { role } };
        return {
          agent: { ...agent, role },
          append: [audit.line(by ?? null, 'role changed', { detail: id, ...roles })],
        };
      });
      return before !== null;
    },
    async saveExternal({ id, name, role }) {
      await change(id, (agent) => {
        if (agent?.name === name && agent.role === role) return null;
        return { agent: { password: '', addedAt: Date.now(), ...agent, id, name, role } };
      });
    },
    async remove(id, by) {
      if (!(await find(id))) return false;
      const subscriptions = await store.list(DOCUMENT_KIND.pushSubscription, { group: id });
      await store.write({
        remove: [{ kind, id }, ...subscriptions.map((each) => ({ kind: each.kind, id: each.id }))],
        append: [audit.line(by ?? null, 'agent removed', { detail: id })],
      });
      await releaseAll(id);
      return true;
    },
  };
}
