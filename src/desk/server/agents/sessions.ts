import { hash, randomBytes } from 'node:crypto';
import { DOCUMENT_KIND, type Document, type DocumentStore } from '../store/index.js';

/** A session of an agent who is logged in. */
export interface AgentSession {
  /** Names the session; a digest of the cookie, so that it cannot be used to log in. */
  readonly id: string;
  readonly agentId: string;
  /** Requests that change something must carry it, in addition to the cookie. */
  readonly token: string;
  /** The version of the agent's password when the session started. */
  readonly passwordVersion: string;
  readonly startedAt: number;
  /** When the agent last did something. */
  readonly seenAt: number;
  /** The address and the browser that the session started from. */
  readonly from: string;
  readonly browser: string;
}

type StoredSession = Omit<AgentSession, 'id'>;

/** The sessions of agents. They are stored under a digest of the cookie, so that reading the store does not let anyone log in. */
export interface Sessions {
  /** Starts a session; resolves to its cookie's value, always a new one, to prevent session fixation. */
  start(session: Pick<AgentSession, 'agentId' | 'passwordVersion' | 'from' | 'browser'>): Promise<string>;
  find(cookie: string): Promise<AgentSession | null>;
  /** Records that the agent did something. */
  touch(session: AgentSession): Promise<void>;
  /** The sessions of an agent, latest first. */
  list(agentId: string): Promise<readonly AgentSession[]>;
  end(ids: readonly string[]): Promise<void>;
  prune(): Promise<void>;
}

export interface SessionsOptions {
  /** How long a session lasts without the agent doing something. */
  readonly idleMs: number;
  readonly now?: () => number;
  /** Called with the sessions that agents ended, not with those that expired. */
  readonly onEnd?: (ids: readonly string[]) => Promise<void>;
}

/** How long a session lasts at most. */
export const SESSION_MS = 12 * 3_600_000;

/** Expired sessions removed per run, and sessions listed for an agent. */
const MAX_LISTED = 1_000;
/** Activity is stored this often at most. */
const TOUCH_MS = 60_000;
const kind = DOCUMENT_KIND.session;

export function createSessions(
  store: DocumentStore,
  { idleMs, now = Date.now, onEnd }: SessionsOptions,
): Sessions {
  const isValid = ({ startedAt, seenAt }: AgentSession): boolean =>
    startedAt + SESSION_MS > now() && seenAt + idleMs > now();

  return {
    async start(session) {
      const cookie = randomBytes(32).toString('base64url');
      const token = randomBytes(24).toString('base64url');
      const value: StoredSession = { ...session, token, startedAt: now(), seenAt: now() };
      const document = { kind, id: idOf(cookie), value, version: 0, group: session.agentId, rank: now() };
      await store.write({ put: [document] });
      return cookie;
    },
    async find(cookie) {
      const document = await store.get(kind, idOf(cookie));
      const session = document && sessionOf(document);
      return session && isValid(session) ? session : null;
    },
    async touch({ id, seenAt }) {
      if (now() - seenAt < Math.min(TOUCH_MS, idleMs / 4)) return;
      const document = await store.get(kind, id);
      if (!document) return;
      const value = { ...(document.value as StoredSession), seenAt: now() };
      const { agentId: group, startedAt: rank } = value;
      // A concurrent request writes about the same, so an outdated version does not matter.
      await store.write({ put: [{ kind, id, value, version: document.version, group, rank }] });
    },
    async list(agentId) {
      const documents = await store.list(kind, { group: agentId, limit: MAX_LISTED });
      return documents.map(sessionOf).filter(isValid);
    },
    async end(ids) {
      if (ids.length === 0) return;
      await store.write({ remove: ids.map((id) => ({ kind, id })) });
      await onEnd?.(ids);
    },
    async prune() {
      // The rank of a session is its start.
      const expired = await store.list(kind, { belowRank: now() - SESSION_MS, limit: MAX_LISTED });
      if (expired.length > 0) await store.write({ remove: expired.map(({ id }) => ({ kind, id })) });
    },
  };
}

const sessionOf = ({ id, value }: Document): AgentSession => ({ ...(value as StoredSession), id });

const idOf = (cookie: string): string => hash('sha256', cookie, 'base64url');
