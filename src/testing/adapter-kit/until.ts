import { setTimeout as sleep } from 'node:timers/promises';
import { found } from './failure.js';

/** Waits for something; `what` completes the sentence "waited for …", and is asked for only if it did not come. */
export type Until = <Value>(
  what: string | (() => string),
  look: () => Promise<Value | null | undefined | false> | Value | null | undefined | false,
) => Promise<Value>;

const LOOK_EVERY_MS = 15;

/** Makes a way to wait for what should happen, for at most so long. */
export function createUntil(patienceMs: number): Until {
  return async (what, look) => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const value = await look();
      if (value !== null && value !== undefined && value !== false) return value;
      if (performance.now() > deadline) {
        const missed = typeof what === 'string' ? what : what();
        found(`waited ${patienceMs} ms for ${missed}, and it did not happen.`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  };
}
