import { hash, randomBytes } from 'node:crypto';
import type { Shelf } from '../../../delivery/index.js';
import { KIND } from '../book/record.js';

/** A session as the desk keeps it: under a digest, so that what is stored lets nobody in. */
interface StoredSession {
  readonly agentId: string;
  /** What changes must carry, besides the cookie. */
  readonly token: string;
  readonly expiresAt: number;
}

/** A session that was found. */
export interface FoundSession {
  readonly agentId: string;
  readonly token: string;
}

/** Who is logged in. */
export interface Sessions {
  /** Begins a session; gives what the cookie holds. Always a new one: nobody can be made to use a known one. */
  begin(agentId: string): Promise<string>;
  find(cookie: string): Promise<FoundSession | null>;
  end(cookie: string): Promise<void>;
}

/** How long a session lasts. */
export const SESSION_MS = 12 * 3_600_000;

/** Makes {@link Sessions}. */
export function createSessions(shelf: Shelf, now: () => number = Date.now): Sessions {
  return {
    async begin(agentId) {
      const cookie = randomBytes(32).toString('base64url');
      const value: StoredSession = {
        agentId,
        token: randomBytes(24).toString('base64url'),
        expiresAt: now() + SESSION_MS,
      };
      await shelf.write({
        put: [{ kind: KIND.session, id: digest(cookie), value, version: 0, group: 'any' }],
      });
      return cookie;
    },
    async find(cookie) {
      const doc = await shelf.get(KIND.session, digest(cookie));
      if (!doc) return null;
      const { agentId, token, expiresAt } = doc.value as StoredSession;
      return expiresAt > now() ? { agentId, token } : null;
    },
    async end(cookie) {
      await shelf.write({ remove: [{ kind: KIND.session, id: digest(cookie) }] });
    },
  };
}

const digest = (cookie: string): string => hash('sha256', cookie, 'base64url');
