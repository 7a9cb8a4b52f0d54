interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  readonly size: number;
}

/**
 * Remembers at least the newest `maxKeys` keys, and at most twice as many: they are kept in two generations, and a full
 * one replaces the older. Removing single keys from the front of a `Map` would cost more than validating a body.
 */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();

  return {
    has(key) {
      const addedAt = newer.get(key) ?? older.get(key);
      return addedAt !== undefined && Date.now() - addedAt <= maxAgeMs;
    },
    add(key) {
      older.delete(key);
      newer.set(key, Date.now());
      if (newer.size < maxKeys) return;
      older = newer;
      newer = new Map();
    },
    delete(key) {
      newer.delete(key);
      older.delete(key);
    },
    get size() {
      return newer.size + older.size;
    },
  };
}
