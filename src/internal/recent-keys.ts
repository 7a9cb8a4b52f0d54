/** Remembers keys for a limited time, and a limited number of them. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
  readonly size: number;
}

class Entry {
  readonly key: string;
  readonly addedAt: number;
  older: Entry = this;
  newer: Entry = this;

  constructor(key: string, addedAt: number) {
    this.key = key;
    this.addedAt = addedAt;
  }
}

/**
 * Creates {@link RecentKeys}. The oldest key is dropped first. The order is a linked list: finding the first key of a
 * Map from which keys are removed at the front takes longer with each of them.
 */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  const entries = new Map<string, Entry>();
  /** Before the oldest and after the newest entry. */
  const ends = new Entry('', 0);

  const remove = ({ key, older, newer }: Entry): void => {
    entries.delete(key);
    older.newer = newer;
    newer.older = older;
  };
  const isExpired = ({ addedAt }: Entry, now: number): boolean => now - addedAt > maxAgeMs;
  const deleteKey = (key: string): void => {
    const entry = entries.get(key);
    if (entry) remove(entry);
  };

  return {
    has(key) {
      const entry = entries.get(key);
      return entry !== undefined && !isExpired(entry, Date.now());
    },
    add(key) {
      deleteKey(key);
      const entry = new Entry(key, Date.now());
      while (entries.size >= maxKeys || (entries.size > 0 && isExpired(ends.newer, entry.addedAt)))
        remove(ends.newer);
      entry.older = ends.older;
      entry.newer = ends;
      ends.older.newer = entry;
      ends.older = entry;
      entries.set(key, entry);
    },
    delete: deleteKey,
    get size() {
      return entries.size;
    },
  };
}
