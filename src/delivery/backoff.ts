import type { Postponed } from '../events/index.js';

/** Bounds of an exponential backoff. */
export interface Backoff {
  /** The first delay. */
  readonly minDelayMs: number;
  /** The longest delay. */
  readonly maxDelayMs: number;
}

/** The delay after a number of attempts: doubled each time, with up to half taken off at random to spread retries. */
export function delayAfter(attempts: number, { minDelayMs, maxDelayMs }: Backoff): number {
  const full = Math.min(maxDelayMs, minDelayMs * 2 ** (attempts - 1));
  return Math.round(full * (0.5 + Math.random() / 2));
}

/** Delays of events whose handlers postpone them. */
export interface Postponements {
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
  const inARow = new Map<string, number>();
  return {
    next(key, { retryAfterMs }) {
      const times = Math.min(MAX_DOUBLINGS, (inARow.get(key) ?? 0) + 1);
      // Deleting first moves the key to the end of the map: the first key is then the least recently postponed.
      inARow.delete(key);
      inARow.set(key, times);
      const [oldest] = inARow.keys();
      if (inARow.size > MAX_KEYS && oldest !== undefined) inARow.delete(oldest);
      const isNamed = retryAfterMs !== null && retryAfterMs >= 0;
      return boundDelay(isNamed ? retryAfterMs : delayAfter(times, backoff));
    },
    end: (key) => void inARow.delete(key),
  };
}
