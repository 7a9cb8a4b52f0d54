import { randomUUID } from 'node:crypto';
import type { Shelf } from '../../../delivery/index.js';
import { HandoffKitError } from '../../../internal/index.js';
import type { AgentView } from '../api.js';
import { createAudit } from '../book/audit.js';
import { KIND } from '../book/record.js';
import { hashPassword, NOBODYS_HASH, passwordComplaint, verifyPassword } from './password.js';

/** An agent as the desk keeps them. */
interface StoredAgent extends AgentView {
  /** Empty for those who log in elsewhere: no password is theirs. */
  readonly password: string;
  /** Another one with every new password, so that sessions from before it end. */
  readonly stamp?: string;
  readonly addedAt: number;
}

/** An agent with what their sessions are held against. */
export interface KnownAgent {
  readonly agent: AgentView;
  readonly stamp: string;
}

/** Those who may work at the desk. */
export interface Agents {
  list(): Promise<readonly AgentView[]>;
  get(id: string): Promise<AgentView | null>;
  /** The same, with what their sessions are held against. */
  known(id: string): Promise<KnownAgent | null>;
  /** Adds an agent, or gives one that is there a new password and name: that ends their sessions. */
  save(agent: AgentView, password: string): Promise<'added' | 'changed'>;
  /** Notes an agent who logs in elsewhere, so that others can see them and give them conversations. */
  note(agent: AgentView): Promise<void>;
  /** Removes an agent, whose sessions end; `false` when there is no such agent. */
  remove(id: string): Promise<boolean>;
  /** The agent whose password it is; `null` for any other. Takes as long either way. */
  judge(id: string, password: string): Promise<AgentView | null>;
}

const ID = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

/** Makes {@link Agents}. */
export function createAgents(shelf: Shelf): Agents {
  const audit = createAudit(shelf);
  const find = async (id: string) => {
    const doc = await shelf.get(KIND.agent, id);
    return doc ? { version: doc.version, agent: doc.value as StoredAgent } : null;
  };

  return {
    async list() {
      const docs = await shelf.list(KIND.agent, { limit: 1_000 });
      return docs.map(({ value }) => view(value as StoredAgent)).sort((a, b) => a.name.localeCompare(b.name));
    },
    async get(id) {
      const found = await find(id);
      return found ? view(found.agent) : null;
    },
    async known(id) {
      const found = await find(id);
      return found ? { agent: view(found.agent), stamp: found.agent.stamp ?? '' } : null;
    },
    async save({ id, name }, password) {
      if (!ID.test(id))
        throw wrong('a login name is lower-case letters, digits, dots, hyphens and @, at most 64.');
      if (name.trim() === '' || name.length > 100) throw wrong('a name has 1 to 100 characters.');
      const complaint = passwordComplaint(password);
      if (complaint) throw wrong(complaint);
      const hashed = await hashPassword(password);
      const stamp = randomUUID();
      for (;;) {
        const found = await find(id);
        const value: StoredAgent = {
          id,
          name,
          password: hashed,
          stamp,
          addedAt: found?.agent.addedAt ?? Date.now(),
        };
        const action = found ? 'changed' : 'added';
        const written = await shelf.write({
          put: [{ kind: KIND.agent, id, value, version: found?.version ?? 0 }],
          append: [audit.line(null, `agent ${action}`, { detail: id })],
        });
        if (written) return action;
      }
    },
    async note({ id, name }) {
      const found = await find(id);
      if (found?.agent.name === name) return;
      const value: StoredAgent = { password: '', addedAt: Date.now(), ...found?.agent, id, name };
      // Who came in between noted the same.
      await shelf.write({ put: [{ kind: KIND.agent, id, value, version: found?.version ?? 0 }] });
    },
    async remove(id) {
      if (!(await find(id))) return false;
      await shelf.write({
        remove: [{ kind: KIND.agent, id }],
        append: [audit.line(null, 'agent removed', { detail: id })],
      });
      return true;
    },
    async judge(id, password) {
      const found = await find(id);
      const right = await verifyPassword(password, found?.agent.password || NOBODYS_HASH);
      return right && found ? view(found.agent) : null;
    },
  };
}

const view = ({ id, name }: StoredAgent): AgentView => ({ id, name });

const wrong = (message: string): HandoffKitError => new HandoffKitError('INVALID_AGENT', message);
