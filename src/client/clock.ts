import { setTimeout as wait } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../internal/index.js';

/** Time and chance, as the client sees them. Replace them to test without waiting. */
export interface Clock {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /**
   * Waits. It must end at once, by resolving or rejecting, when `signal` aborts. A wait in the `background`
   * does not keep the process alive.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
  /** A number from 0 up to, but not including, 1. */
  random(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal, { background = false } = {}) {
    await wait(Math.min(ms, LONGEST_TIMER_MS), undefined, {
      ref: !background,
      ...(signal && { signal }),
    });
  },
};

/** Sleeps, and says whether the sleep went through (`true`) or was cut short by the signal (`false`). */
export async function slept(
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
