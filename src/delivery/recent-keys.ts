/** Remembers keys for a while, never more than so many. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  readonly size: number;
}

/**
 * Makes {@link RecentKeys}: the oldest go first, when there are too many or when they are too old. Their order is
 * kept in a ring, since looking for the oldest in a map means to step over all that were deleted before.
 */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  const addedAt = new Map<string, number>();
  const ring: string[] = [];
  let oldest = 0;
  let count = 0;

  const dropOldest = (): void => {
    addedAt.delete(ring[oldest] ?? '');
    ring[oldest] = '';
    oldest = (oldest + 1) % maxKeys;
    count -= 1;
  };
  const isOld = (key: string | undefined, now: number): boolean =>
    now - (addedAt.get(key ?? '') ?? now) > maxAgeMs;

  return {
    has(key) {
      const time = addedAt.get(key);
      return time !== undefined && Date.now() - time <= maxAgeMs;
    },
    add(key) {
      const now = Date.now();
      while (count > 0 && (count === maxKeys || isOld(ring[oldest], now))) dropOldest();
      if (addedAt.has(key)) return;
      addedAt.set(key, now);
      ring[(oldest + count) % maxKeys] = key;
      count += 1;
    },
    get size() {
      return addedAt.size;
    },
  };
}
