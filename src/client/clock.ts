import { setTimeout as wait } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../internal/index.js';

/** The client's source of time and randomness. */
export interface Clock {
  /** The current time, in milliseconds since 1970. */
  now(): number;
  /**
   * Waits. Must settle at once when `signal` aborts, by resolving or rejecting. A `background` wait does not keep
   * the process alive.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal, { background = false } = {}) {
    await wait(Math.min(ms, LONGEST_TIMER_MS), undefined, { ref: !background, ...(signal && { signal }) });
  },
};

/** Sleeps; resolves to `false` if the signal aborted the sleep. */
export async function sleepUnlessAborted(
  clock: Clock,
  ms: number,
  signal?: AbortSignal,
  options?: { readonly background?: boolean },
): Promise<boolean> {
  try {
    await clock.sleep(ms, signal, options);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  return !signal?.aborted;
}
