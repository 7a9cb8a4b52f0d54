/** Slows down those who guess passwords. */
export interface Throttle {
  /** How long to wait before another try counts, in milliseconds; 0 when it may be made now. */
  wait(key: string): number;
  failed(key: string): void;
  succeeded(key: string): void;
}

interface Failures {
  count: number;
  until: number;
}

/** Tries that cost nothing: people mistype. */
const FREE = 5;
const LONGEST_MS = 15 * 60_000;
/** Names that are remembered; guessing under more names than these forgets the oldest. */
const MOST_KEYS = 10_000;

/** Makes a {@link Throttle}: after five failures each doubles the wait, from one second to fifteen minutes. */
export function createThrottle(now: () => number = Date.now): Throttle {
  const failures = new Map<string, Failures>();

  return {
    wait: (key) => Math.max(0, (failures.get(key)?.until ?? 0) - now()),
    failed(key) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      const ms = count < FREE ? 0 : Math.min(LONGEST_MS, 1_000 * 2 ** (count - FREE));
      failures.delete(key);
      failures.set(key, { count, until: now() + ms });
      const oldest = failures.keys().next();
      if (failures.size > MOST_KEYS && !oldest.done) failures.delete(oldest.value);
    },
    succeeded: (key) => void failures.delete(key),
  };
}
