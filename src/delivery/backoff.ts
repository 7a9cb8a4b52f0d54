import type { Postponed } from '../events/index.js';
import { type Backoff, delayAfter } from '../internal/index.js';

/** Delays of events whose handlers postpone them. */
interface Postponements {
  /** Counts a postponement of an event, and returns the delay until its next attempt. */
  next(key: string, postponed: Postponed): number;
  /** Forgets an event that is no longer postponed. */
  end(key: string): void;
}

/** No job waits for longer, whatever a handler or the platform asked for. */
const LONGEST_DELAY_MS = 86_400_000;

/** A delay as it is stored: in whole milliseconds, at most a day. */
export const boundDelay = (ms: number): number => Math.ceil(Math.min(LONGEST_DELAY_MS, Math.max(0, ms)));

/** 2^30 times the first delay is beyond any maximum. */
const MAX_DOUBLINGS = 30;

/** Bounds memory: an event that another process took over is never removed here. */
const MAX_KEYS = 10_000;

/**
 * Delays grow with consecutive postponements, unless the handler names one. Counts
 * are in memory: after a restart, delays are short again.
 */
export function createPostponements(backoff: Backoff): Postponements {
  const counts = new Map<string, number>();
  return {
    next(key, { retryAfterMs }) {
      const count = Math.min(MAX_DOUBLINGS, (counts.get(key) ?? 0) + 1);
      // Deleting first moves the key to the end of the map: the first key is then the least recently postponed.
      counts.delete(key);
      counts.set(key, count);
      const [oldest] = counts.keys();
      if (counts.size > MAX_KEYS && oldest !== undefined) counts.delete(oldest);
      const isNamed = retryAfterMs !== null && retryAfterMs >= 0;
      return boundDelay(isNamed ? retryAfterMs : delayAfter(count, backoff));
    },
    end: (key) => void counts.delete(key),
  };
}
