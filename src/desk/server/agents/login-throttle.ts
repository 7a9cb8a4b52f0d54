import { isIPv6 } from 'node:net';

/** Slows down password guessing. */
export interface LoginThrottle {
  /**
   * Counts a login attempt as failed, before the password is checked, so that concurrent attempts cannot bypass the
   * limit. Returns the time to wait, in milliseconds; 0 when the attempt may proceed.
   */
  attempt(key: string): number;
  /** Uncounts one attempt that succeeded. */
  undo(key: string): void;
  reset(key: string): void;
}

interface FailedAttempts {
  count: number;
  until: number;
}

export interface LoginThrottleOptions {
  /** Attempts without a wait. */
  readonly free: number;
  readonly longestMs: number;
  readonly now?: () => number;
}

const FIRST_WAIT_MS = 5_000;
/** Counts are reset after this time without a failure. */
const RESET_AFTER_MS = 3_600_000;
/** Keys remembered at most; the oldest are dropped. */
const MAX_KEYS = 10_000;

/** After the free attempts the wait doubles each time, from five seconds on. */
export function createLoginThrottle({
  free,
  longestMs,
  now = Date.now,
}: LoginThrottleOptions): LoginThrottle {
  const failures = new Map<string, FailedAttempts>();

  const countOf = (key: string): number => {
    const found = failures.get(key);
    return found && found.until + RESET_AFTER_MS > now() ? found.count : 0;
  };

  const set = (key: string, count: number): void => {
    const ms = count < free ? 0 : Math.min(longestMs, FIRST_WAIT_MS * 2 ** (count - free));
    failures.delete(key);
    failures.set(key, { count, until: now() + ms });
    const oldest = failures.keys().next();
    if (failures.size > MAX_KEYS && !oldest.done) failures.delete(oldest.value);
  };

  return {
    attempt(key) {
      const waitMs = (failures.get(key)?.until ?? 0) - now();
      if (waitMs > 0) return waitMs;
      set(key, countOf(key) + 1);
      return 0;
    },
    undo: (key) => set(key, Math.max(0, countOf(key) - 1)),
    reset: (key) => void failures.delete(key),
  };
}

/** At most a minute, so that guessing a name does not lock its owner out for long. */
const NAME_LIMIT = { free: 5, longestMs: 60_000 };
/** A whole office may share one address. */
export const NETWORK_LIMIT = { free: 20, longestMs: 15 * 60_000 };
/** Codes can be tried with the right password only, so this locks out no other agent. */
const CODE_LIMIT = { free: 5, longestMs: 15 * 60_000 };

/** The limits of a desk for passwords and codes. */
export interface LoginLimits {
  /** Counts an attempt, as {@link LoginThrottle.attempt} does. */
  attempt(name: string, ip: string | undefined, hasCode: boolean): number;
  /** Uncounts an attempt; with `isWrongCode`, the code still counts. */
  undo(name: string, ip: string | undefined, options?: { readonly isWrongCode: boolean }): void;
  /** The attempt succeeded. */
  succeed(name: string, ip: string | undefined): void;
}

export function createLoginLimits(): LoginLimits {
  const names = createLoginThrottle(NAME_LIMIT);
  const networks = createLoginThrottle(NETWORK_LIMIT);
  const codes = createLoginThrottle(CODE_LIMIT);
  return {
    attempt: (name, ip, hasCode) =>
      networks.attempt(networkOf(ip)) || names.attempt(name) || (hasCode ? codes.attempt(name) : 0),
    undo(name, ip, { isWrongCode } = { isWrongCode: false }) {
      networks.undo(networkOf(ip));
      names.undo(name);
      if (!isWrongCode) codes.undo(name);
    },
    succeed(name, ip) {
      networks.undo(networkOf(ip));
      names.reset(name);
      codes.reset(name);
    },
  };
}

/** The network that attempts from an address count for: the /64 of IPv6, since one host has all of it. */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = ip.includes('::') ? 8 - groups.length - tail.split(':').filter(Boolean).length : 0;
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')];
  return `${all.slice(0, 4).join(':')}::/64`;
}
