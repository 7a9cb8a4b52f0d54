import { HandoffKitError } from '../../../internal/index.js';
import type { AgentView } from '../../api.js';
import { DOCUMENT_KIND, type DocumentStore, type JournalAppend } from '../store/index.js';
import type { AgentRole } from './roles.js';

/** An agent to store. */
export type AgentInput = Pick<AgentView, 'id' | 'name'> & { readonly role?: AgentRole };

/** An agent as the desk stores it. */
export interface StoredAgent extends AgentInput {
  readonly role: AgentRole;
  /** A hash; empty for agents who log in elsewhere, so that no password matches. */
  readonly password: string;
  /** Changes with every new password, which ends older sessions. */
  readonly passwordVersion?: string;
  readonly addedAt: number;
  /** The second factor, if the agent has set one up. */
  readonly totp?: StoredTotp;
  /** Of an agent that is a program. */
  readonly apiToken?: StoredToken;
}

/** The token of a program. */
export interface StoredToken {
  /** The SHA-256 of its secret. */
  readonly digest: string;
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** The second factor of an agent. */
export interface StoredTotp {
  /** Encrypted with a key that comes from the password: a reader of the database cannot make codes. */
  readonly sealedSecret: string;
  /** The step of the last code that was used; it and earlier ones are refused. */
  readonly lastStep: number;
  /** Digests of the recovery codes that are left. */
  readonly recovery: readonly string[];
}

/** Reads and changes the documents of agents. */
export interface AgentDocuments {
  readonly find: (id: string) => Promise<{ readonly agent: StoredAgent; readonly version: number } | null>;
  /**
   * Reads, decides and writes until no other writer interferes. `decide` gets `null` for an unknown agent, and returns
   * `null` to change nothing. Resolves to the agent before the change.
   */
  readonly change: (
    id: string,
    decide: (agent: StoredAgent | null) => AgentChange | null | Promise<AgentChange | null>,
  ) => Promise<StoredAgent | null>;
}

/** A change of an agent, committed together with its audit lines. */
export interface AgentChange {
  readonly agent: StoredAgent;
  readonly append?: readonly JournalAppend[];
}

const kind = DOCUMENT_KIND.agent;

export function createAgentDocuments(store: DocumentStore): AgentDocuments {
  const find: AgentDocuments['find'] = async (id) => {
    const document = await store.get(kind, id);
    return document ? { version: document.version, agent: document.value as StoredAgent } : null;
  };
  return {
    find,
    async change(id, decide) {
      for (;;) {
        const found = await find(id);
        const change = await decide(found?.agent ?? null);
        if (!change) return found?.agent ?? null;
        const put = [{ kind, id, value: change.agent, version: found?.version ?? 0 }];
        if (await store.write({ put, append: change.append ?? [] })) return found?.agent ?? null;
      }
    },
  };
}

/** The public part of an agent. */
export const agentViewOf = ({ id, name, role }: StoredAgent): AgentView => ({ id, name, role });

/** The error of an agent that cannot be stored. */
export const invalidAgent = (message: string): HandoffKitError =>
  new HandoffKitError('INVALID_AGENT', message);
