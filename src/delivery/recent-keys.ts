import { createKeyHash } from '../internal/index.js';
import { createKeptTexts } from './kept-texts.js';

/** Remembers keys for a while, never more than so many. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  readonly size: number;
}

/**
 * Makes {@link RecentKeys}: the oldest go first, when there are too many or when they are too old.
 *
 * Keys lie in a ring, found by chains of equal hashes in flat arrays. A map of as many strings would be spread over
 * the memory, and to look into it for every event would cost more than most handlers do.
 */
export function createRecentKeys({ maxKeys, maxAgeMs }: { maxKeys: number; maxAgeMs: number }): RecentKeys {
  const hashOf = createKeyHash();
  const mask = 2 ** Math.ceil(Math.log2(maxKeys + 1)) - 1;
  const keys = createKeptTexts(maxKeys);
  const times = new Float64Array(maxKeys);
  const hashes = new Int32Array(maxKeys);
  /** The first place of each chain and the next of each place; a place is counted from 1, 0 ends a chain. */
  const first = new Int32Array(mask + 1);
  const next = new Int32Array(maxKeys);
  let oldest = 0;
  let count = 0;
  /** Who asks for a key mostly adds it next. */
  let askedKey = '';
  let askedHash = hashOf(askedKey);

  const find = (key: string, hash: number): number => {
    let place = first[hash & mask] ?? 0;
    while (place !== 0 && !(hashes[place - 1] === hash && keys.isAt(place - 1, key)))
      place = next[place - 1] ?? 0;
    return place;
  };

  const dropOldest = (): void => {
    const place = oldest + 1;
    const chain = (hashes[oldest] ?? 0) & mask;
    const after = next[oldest] ?? 0;
    if (first[chain] === place) first[chain] = after;
    else {
      let before = first[chain] ?? 0;
      while (before !== 0 && next[before - 1] !== place) before = next[before - 1] ?? 0;
      if (before !== 0) next[before - 1] = after;
    }
    oldest = place % maxKeys;
    count -= 1;
  };

  return {
    has(key) {
      askedKey = key;
      askedHash = hashOf(key);
      const place = find(key, askedHash);
      return place !== 0 && Date.now() - (times[place - 1] ?? 0) <= maxAgeMs;
    },
    add(key) {
      const now = Date.now();
      while (count > 0 && (count === maxKeys || now - (times[oldest] ?? now) > maxAgeMs)) dropOldest();
      const hash = key === askedKey ? askedHash : hashOf(key);
      const index = (oldest + count) % maxKeys;
      keys.put(index, key);
      times[index] = now;
      hashes[index] = hash;
      next[index] = first[hash & mask] ?? 0;
      first[hash & mask] = index + 1;
      count += 1;
    },
    get size() {
      return count;
    },
  };
}
