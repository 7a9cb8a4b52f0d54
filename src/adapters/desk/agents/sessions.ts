import { hash, randomBytes } from 'node:crypto';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';

/** A session of an agent who is logged in. */
export interface AgentSession {
  readonly agentId: string;
  /** Requests that change something must carry it, in addition to the cookie. */
  readonly token: string;
  /** The version of the agent's password when the session started. */
  readonly passwordVersion: string;
}

interface StoredSession extends AgentSession {
  readonly expiresAt: number;
}

/** The sessions of agents. They are stored under a digest of the cookie, so that the store lets no reader log in. */
export interface Sessions {
  /** Starts a session; gives the value of its cookie, which is always new, to prevent session fixation. */
  start(agentId: string, passwordVersion: string): Promise<string>;
  find(cookie: string): Promise<AgentSession | null>;
  end(cookie: string): Promise<void>;
  /** Removes expired sessions. */
  prune(): Promise<void>;
}

/** How long a session lasts. */
export const SESSION_MS = 12 * 3_600_000;

/** Expired sessions removed per run. */
const MAX_PRUNED = 1_000;

/** Creates {@link Sessions}. */
export function createSessions(store: DocumentStore, now: () => number = Date.now): Sessions {
  const kind = DOCUMENT_KIND.session;
  return {
    async start(agentId, passwordVersion) {
      const cookie = randomBytes(32).toString('base64url');
      const value: StoredSession = {
        agentId,
        passwordVersion,
        token: randomBytes(24).toString('base64url'),
        expiresAt: now() + SESSION_MS,
      };
      await store.write({ put: [{ kind, id: digest(cookie), value, version: 0, rank: now() }] });
      return cookie;
    },
    async find(cookie) {
      const document = await store.get(kind, digest(cookie));
      if (!document) return null;
      const { agentId, token, passwordVersion, expiresAt } = document.value as StoredSession;
      return expiresAt > now() ? { agentId, token, passwordVersion } : null;
    },
    async end(cookie) {
      await store.write({ remove: [{ kind, id: digest(cookie) }] });
    },
    async prune() {
      // The rank of a session is its start.
      const expired = await store.list(kind, { belowRank: now() - SESSION_MS, limit: MAX_PRUNED });
      if (expired.length > 0) await store.write({ remove: expired.map(({ id }) => ({ kind, id })) });
    },
  };
}

const digest = (cookie: string): string => hash('sha256', cookie, 'base64url');
