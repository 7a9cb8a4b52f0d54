/** Remembers keys for a limited time, and a limited number of them. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  readonly size: number;
}

/** Creates {@link RecentKeys}. The oldest key is dropped first. */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  /** When each key was added. A map keeps the order of insertion, so the first key is the oldest. */
  const addedAt = new Map<string, number>();

  const dropExpired = (now: number): void => {
    for (const [key, at] of addedAt) {
      if (addedAt.size < maxKeys && now - at <= maxAgeMs) return;
      addedAt.delete(key);
    }
  };

  return {
    has(key) {
      const at = addedAt.get(key);
      return at !== undefined && Date.now() - at <= maxAgeMs;
    },
    add(key) {
      const now = Date.now();
      addedAt.delete(key);
      dropExpired(now);
      addedAt.set(key, now);
    },
    delete: (key) => void addedAt.delete(key),
    get size() {
      return addedAt.size;
    },
  };
}
