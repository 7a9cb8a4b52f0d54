import { isIPv6 } from 'node:net';

/** Slows down those who guess passwords. */
export interface Throttle {
  /**
   * Begins a try, which counts as failed until it is taken back: many at once are no way round. How long to wait
   * instead, in milliseconds; 0 when it may be made now.
   */
  begin(key: string): number;
  /** The try was none of a guesser: it does not count. */
  takeBack(key: string): void;
  /** No try counts any more. */
  forget(key: string): void;
}

interface Failures {
  count: number;
  until: number;
}

/** Settings of {@link createThrottle}. */
export interface ThrottleOptions {
  /** Tries that cost nothing: people mistype. */
  readonly free: number;
  /** The longest wait. */
  readonly longestMs: number;
  readonly now?: () => number;
}

const FIRST_WAIT_MS = 5_000;
/** After so long without a failure all is forgotten. */
const FORGET_AFTER_MS = 3_600_000;
/** Keys that are remembered; guessing under more than these forgets the oldest. */
const MOST_KEYS = 10_000;

/** Makes a {@link Throttle}: after the free tries each doubles the wait, from five seconds on. */
export function createThrottle({ free, longestMs, now = Date.now }: ThrottleOptions): Throttle {
  const failures = new Map<string, Failures>();

  const countOf = (key: string): number => {
    const found = failures.get(key);
    return found && found.until + FORGET_AFTER_MS > now() ? found.count : 0;
  };

  const set = (key: string, count: number): void => {
    const ms = count < free ? 0 : Math.min(longestMs, FIRST_WAIT_MS * 2 ** (count - free));
    failures.delete(key);
    failures.set(key, { count, until: now() + ms });
    const oldest = failures.keys().next();
    if (failures.size > MOST_KEYS && !oldest.done) failures.delete(oldest.value);
  };

  return {
    begin(key) {
      const waitMs = (failures.get(key)?.until ?? 0) - now();
      if (waitMs > 0) return waitMs;
      set(key, countOf(key) + 1);
      return 0;
    },
    takeBack: (key) => set(key, Math.max(0, countOf(key) - 1)),
    forget: (key) => void failures.delete(key),
  };
}

/** What an address counts as: who has one address of IPv6 has all of its network. */
export function sourceOf(ip: string | undefined): string {
  if (ip === undefined) return 'nowhere';
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = ip.includes('::') ? 8 - groups.length - tail.split(':').filter(Boolean).length : 0;
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')];
  return `${all.slice(0, 4).join(':')}::/64`;
}
