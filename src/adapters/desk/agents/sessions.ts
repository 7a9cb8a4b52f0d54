import { hash, randomBytes } from 'node:crypto';
import type { Shelf } from '../../../delivery/index.js';
import { KIND } from '../book/record.js';

/** A session as the desk keeps it: under a digest, so that what is stored lets nobody in. */
interface StoredSession {
  readonly agentId: string;
  /** What changes must carry, besides the cookie. */
  readonly token: string;
  /** The agent's stamp when it began. */
  readonly stamp: string;
  readonly expiresAt: number;
}

/** A session that was found. */
export type FoundSession = Pick<StoredSession, 'agentId' | 'token' | 'stamp'>;

/** Who is logged in. */
export interface Sessions {
  /** Begins a session; gives what the cookie holds. Always a new one: nobody can be made to use a known one. */
  begin(agentId: string, stamp: string): Promise<string>;
  find(cookie: string): Promise<FoundSession | null>;
  end(cookie: string): Promise<void>;
  /** Removes those that have expired. */
  prune(): Promise<void>;
}

/** How long a session lasts. */
export const SESSION_MS = 12 * 3_600_000;

/** Expired sessions removed in one go; the others go the next time. */
const MOST_PRUNED = 1_000;

/** Makes {@link Sessions}. */
export function createSessions(shelf: Shelf, now: () => number = Date.now): Sessions {
  return {
    async begin(agentId, stamp) {
      const cookie = randomBytes(32).toString('base64url');
      const value: StoredSession = {
        agentId,
        stamp,
        token: randomBytes(24).toString('base64url'),
        expiresAt: now() + SESSION_MS,
      };
      await shelf.write({
        put: [{ kind: KIND.session, id: digest(cookie), value, version: 0, rank: now() }],
      });
      return cookie;
    },
    async find(cookie) {
      const doc = await shelf.get(KIND.session, digest(cookie));
      if (!doc) return null;
      const { agentId, token, stamp, expiresAt } = doc.value as StoredSession;
      return expiresAt > now() ? { agentId, token, stamp } : null;
    },
    async end(cookie) {
      await shelf.write({ remove: [{ kind: KIND.session, id: digest(cookie) }] });
    },
    async prune() {
      // A session is written once, so its rank is when it began.
      const old = await shelf.list(KIND.session, { belowRank: now() - SESSION_MS, limit: MOST_PRUNED });
      if (old.length > 0) await shelf.write({ remove: old.map(({ kind, id }) => ({ kind, id })) });
    },
  };
}

const digest = (cookie: string): string => hash('sha256', cookie, 'base64url');
