/** What a clock gives for a call to come. */
export type ClockTimer = ReturnType<typeof setTimeout> | number;

/** Where the simulator takes its time from: waiting, idling, delaying. Network timeouts always use real time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Calls `fn` once, `ms` from now, and returns a handle for {@link Clock.clearTimeout}. */
  setTimeout: (fn: () => void, ms: number) => ClockTimer;
  /** Forgets a call that has not happened yet. */
  clearTimeout: (handle: ClockTimer | undefined) => void;
}

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on, and makes every call that falls due on the way, in order. */
  advance: (ms: number) => void;
}

/** The machine's own time. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms).unref(),
  clearTimeout: (handle) => clearTimeout(handle),
};

/** The moment at which a manual clock starts unless told otherwise: 2025-01-01, midnight UTC. */
const MANUAL_START = Date.UTC(2025, 0, 1);

/**
 * A clock for tests.
 *
 * @example
 * const clock = createManualClock();
 * const simulator = createSimulator({ clock, agents });
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

/** Waits on a clock; an aborted wait ends at once. */
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
