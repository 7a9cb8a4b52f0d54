/** Handle of a scheduled call. */
export type ClockTimer = ReturnType<typeof setTimeout> | number;

/** The simulator's time: wait timeouts, idle timeouts and delays. Network timeouts always use real time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Calls `fn` once after `ms`. Returns a handle for {@link Clock.clearTimeout}. */
  setTimeout: (fn: () => void, ms: number) => ClockTimer;
  clearTimeout: (handle: ClockTimer | undefined) => void;
}

/** A clock that stands still until a test advances it. */
export interface ManualClock extends Clock {
  /**
   * Advances the time and runs every call that becomes due, in order.
   *
   * @example clock.advance(60_000)
   */
  advance: (ms: number) => void;
}

/** The system time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms).unref(),
  clearTimeout: (handle) => clearTimeout(handle),
};

/** Default start of a manual clock: 2025-01-01, midnight UTC. */
const MANUAL_START = Date.UTC(2025, 0, 1);

/**
 * Creates a clock that only moves when a test advances it.
 *
 * @example
 * const clock = createManualClock();
 * const simulator = createSimulator({ clock, bots });
 * clock.advance(60_000); // the wait timeout of a handoff passes
 */
export function createManualClock(start: number = MANUAL_START): ManualClock {
  let now = start;
  let lastHandle = 0;
  const timers = new Map<number, { at: number; fn: () => void }>();

  const nextDue = (until: number) => {
    let first: [number, { at: number; fn: () => void }] | undefined;
    for (const entry of timers) {
      if (entry[1].at <= until && (!first || entry[1].at < first[1].at)) first = entry;
    }
    return first;
  };

  return {
    now: () => now,
    setTimeout(fn, ms) {
      lastHandle += 1;
      timers.set(lastHandle, { at: now + Math.max(0, ms), fn });
      return lastHandle;
    },
    clearTimeout(handle) {
      if (typeof handle === 'number') timers.delete(handle);
    },
    advance(ms) {
      const until = now + ms;
      for (let due = nextDue(until); due; due = nextDue(until)) {
        const [handle, timer] = due;
        timers.delete(handle);
        now = Math.max(now, timer.at);
        timer.fn();
      }
      now = until;
    },
  };
}

/** Waits for `ms` by the clock. Resolves at once when aborted. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clock.clearTimeout(handle);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const handle = clock.setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
  });
}
