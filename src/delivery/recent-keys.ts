/** Remembers keys for a while, never more than so many. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  readonly size: number;
}

/** Makes {@link RecentKeys}: the oldest go first, when there are too many or when they are too old. */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  const addedAt = new Map<string, number>();

  const dropOld = (now: number): void => {
    for (const [key, time] of addedAt) {
      if (addedAt.size <= maxKeys && now - time <= maxAgeMs) return;
      addedAt.delete(key);
    }
  };

  return {
    has(key) {
      const time = addedAt.get(key);
      return time !== undefined && Date.now() - time <= maxAgeMs;
    },
    add(key) {
      const now = Date.now();
      addedAt.delete(key);
      addedAt.set(key, now);
      dropOld(now);
    },
    get size() {
      return addedAt.size;
    },
  };
}
