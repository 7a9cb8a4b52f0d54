import type { HandoffStore } from './store.js';

/** The part of a store that is not about conversations, and a way to drop what has expired. */
export interface MemoryMarks
  extends Pick<
    HandoffStore,
    | 'addIdempotencyKey'
    | 'hasIdempotencyKey'
    | 'removeIdempotencyKey'
    | 'cursor'
    | 'moveCursor'
    | 'lease'
    | 'release'
  > {
  readonly dropExpired: () => void;
}

/** What {@link createMemoryMarks} needs. */
export interface MemoryMarksParts {
  /** Beyond this many, the oldest notes go before their time. */
  readonly maxMarks: number;
  readonly now: () => number;
}

interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** So few need no cleaning. */
const FEW = 1_000;

/** Makes {@link MemoryMarks}. */
export function createMemoryMarks({ maxMarks, now }: MemoryMarksParts): MemoryMarks {
  /** Until when each note holds, by its key, in the order they were made. */
  const marks = new Map<string, number>();
  const cursors = new Map<string, string>();
  const leases = new Map<string, Lease>();
  let cleanAt = Math.min(FEW, maxMarks);

  const holds = (key: string): boolean => (marks.get(key) ?? 0) > now();

  const dropExpired = (): void => {
    const time = now();
    for (const [key, until] of marks) if (until <= time) marks.delete(key);
    for (const [name, { until }] of leases) if (until <= time) leases.delete(name);
  };

  /** Goes through all of them only when there are twice as many as were left the last time. */
  const makeRoom = (): void => {
    if (Math.max(marks.size, leases.size) < cleanAt) return;
    dropExpired();
    for (const key of marks.keys()) {
      if (marks.size < maxMarks) break;
      marks.delete(key);
    }
    cleanAt = Math.min(maxMarks, Math.max(FEW, marks.size * 2, leases.size * 2));
  };

  return {
    dropExpired,
    async addIdempotencyKey(key, keepMs) {
      if (holds(key)) return false;
      marks.delete(key);
      makeRoom();
      marks.set(key, now() + keepMs);
      return true;
    },
    hasIdempotencyKey: async (key) => holds(key),
    removeIdempotencyKey: async (key) => void marks.delete(key),
    cursor: async (name) => cursors.get(name) ?? null,
    async moveCursor(name, from, to) {
      if ((cursors.get(name) ?? null) !== from) return false;
      cursors.set(name, to);
      return true;
    },
    async lease(name, owner, forMs) {
      const held = leases.get(name);
      if (held && held.owner !== owner && held.until > now()) return false;
      if (!held) makeRoom();
      leases.set(name, { owner, until: now() + forMs });
      return true;
    },
    async release(name, owner) {
      if (leases.get(name)?.owner === owner) leases.delete(name);
    },
  };
}
