import { randomUUID } from 'node:crypto';
import { HandoffKitError } from '../../../internal/index.js';
import type { AgentView } from '../api.js';
import { createAudit } from '../audit.js';
import { createConversationRecords, recordOf } from '../conversations/conversation-records.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import { DUMMY_HASH, hashPassword, passwordProblem, verifyPassword } from './password.js';
import type { AgentRole } from './roles.js';

interface StoredAgent extends AgentInput {
  /** A hash; empty for agents who log in at the host application, so that no password matches. */
  readonly password: string;
  /** Changes with every new password, which ends older sessions. */
  readonly passwordVersion?: string;
  readonly addedAt: number;
}

/** An agent to store. */
export type AgentInput = Pick<AgentView, 'id' | 'name'> & { readonly role?: AgentRole };

/** An agent with the version of their password, which sessions are checked against. */
export interface AgentCredentials {
  readonly agent: AgentView;
  readonly passwordVersion: string;
}

/** The agents who may work at the desk. */
export interface Agents {
  list(): Promise<readonly AgentView[]>;
  get(id: string): Promise<AgentView | null>;
  /** An agent with the version of their password. */
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
  /** Gives an agent another role; `false` when there is no such agent. */
  setRole(id: string, role: AgentRole, by?: string): Promise<boolean>;
  /** Stores an agent who logs in elsewhere, so that others can see them and transfer to them. */
  saveExternal(agent: AgentView): Promise<void>;
  /** Removes an agent, ends their sessions and releases their conversations; `false` when there is no such agent. */
  remove(id: string, by?: string): Promise<boolean>;
  /** The agent with this password; `null` when it is wrong. Takes the same time for unknown agents. */
  authenticate(id: string, password: string): Promise<AgentView | null>;
}

/** More conversations than a team has open at a time. */
const MAX_ACTIVE = 10_000;

const LOGIN_NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

/** Creates {@link Agents}. */
export function createAgents(store: DocumentStore): Agents {
  const audit = createAudit(store);
  const records = createConversationRecords(store);
  const kind = DOCUMENT_KIND.agent;
  const find = async (id: string) => {
    const document = await store.get(kind, id);
    return document ? { version: document.version, agent: document.value as StoredAgent } : null;
  };

  /** Gives the conversations of an agent who is gone back to the others. */
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

  const roleOfNew = async (): Promise<AgentRole> =>
    (await store.list(kind, { limit: 1 })).length === 0 ? 'administrator' : 'agent';

  return {
    async list() {
      const documents = await store.list(kind, { limit: 1_000 });
      return documents
        .map(({ value }) => viewOf(value as StoredAgent))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    async get(id) {
      const found = await find(id);
      return found ? viewOf(found.agent) : null;
    },
    async credentials(id) {
      const found = await find(id);
      return found && { agent: viewOf(found.agent), passwordVersion: found.agent.passwordVersion ?? '' };
    },
    async save({ id, name, role }, password, by) {
      if (!LOGIN_NAME.test(id)) {
        throw invalidAgent('a login name is lower-case letters, digits, dots, hyphens and @, at most 64.');
      }
      if (name.trim() === '' || name.length > 100) throw invalidAgent('a name has 1 to 100 characters.');
      const problem = passwordProblem(password);
      if (problem) throw invalidAgent(problem);
      const credentials = { password: await hashPassword(password), passwordVersion: randomUUID() };
      for (;;) {
        const found = await find(id);
        const addedAt = found?.agent.addedAt ?? Date.now();
        const newRole = role ?? (found ? viewOf(found.agent).role : await roleOfNew());
        const value: StoredAgent = { id, name, role: newRole, ...credentials, addedAt };
        const action = found ? 'changed' : 'added';
        const written = await store.write({
          put: [{ kind, id, value, version: found?.version ?? 0 }],
          append: [audit.line(by ?? null, `agent ${action}`, { detail: id })],
        });
        if (written) return action;
      }
    },
    async setRole(id, role, by) {
      for (;;) {
        const found = await find(id);
        if (!found) return false;
        const before = viewOf(found.agent).role;
        if (before === role) return true;
        const written = await store.write({
          put: [{ kind, id, value: { ...found.agent, role }, version: found.version }],
          append: [audit.line(by ?? null, 'role changed', { detail: `${id}: ${before} to ${role}` })],
        });
        if (written) return true;
      }
    },
    async saveExternal({ id, name, role }) {
      const found = await find(id);
      if (found?.agent.name === name && found.agent.role === role) return;
      const value: StoredAgent = { password: '', addedAt: Date.now(), ...found?.agent, id, name, role };
      // A concurrent request of the same agent writes the same, so an outdated version does not matter.
      await store.write({ put: [{ kind, id, value, version: found?.version ?? 0 }] });
    },
    async remove(id, by) {
      if (!(await find(id))) return false;
      await store.write({
        remove: [{ kind, id }],
        append: [audit.line(by ?? null, 'agent removed', { detail: id })],
      });
      await releaseAll(id);
      return true;
    },
    async authenticate(id, password) {
      const found = await find(id);
      const isRight = await verifyPassword(password, found?.agent.password || DUMMY_HASH);
      return isRight && found ? viewOf(found.agent) : null;
    },
  };
}

/** Agents who were stored before there were roles keep what they could do; managing agents is new. */
const ROLE_OF_EARLIER: AgentRole = 'supervisor';

const viewOf = ({ id, name, role = ROLE_OF_EARLIER }: StoredAgent): AgentView => ({ id, name, role });

const invalidAgent = (message: string): HandoffKitError => new HandoffKitError('INVALID_AGENT', message);
