import type { Postponed } from '../events/index.js';
import { type Backoff, delayAfter } from './backoff.js';

/** How long each postponed event waits. */
export interface Postponements {
  /** The event was postponed once more: after how long to try it again. */
  next(key: string, postponed: Postponed): number;
  /** The event is not postponed any more. */
  end(key: string): void;
}

/** However long a system asks to be left alone, it is asked again after a day. */
const LONGEST_MS = 86_400_000;

/** Beyond it a wait does not grow any more, whatever the backoff. */
const MOST_COUNTED = 30;

/** Another process may have taken over what was counted here, so nothing is counted for ever. */
const MOST_KEYS = 10_000;

/**
 * Makes {@link Postponements}. Where the handler does not say how long, waits grow with the number of times in a
 * row. That number is kept in memory: another process, or this one after a restart, begins with short waits again.
 */
export function createPostponements(backoff: Backoff): Postponements {
  const inARow = new Map<string, number>();
  return {
    next(key, { retryAfterMs }) {
      const times = Math.min(MOST_COUNTED, (inARow.get(key) ?? 0) + 1);
      inARow.delete(key);
      inARow.set(key, times);
      for (const [oldest] of inARow) {
        if (inARow.size <= MOST_KEYS) break;
        inARow.delete(oldest);
      }
      const told = retryAfterMs !== null && retryAfterMs >= 0;
      return Math.min(LONGEST_MS, told ? retryAfterMs : delayAfter(times, backoff));
    },
    end: (key) => void inARow.delete(key),
  };
}
