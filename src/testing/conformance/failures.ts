import { setTimeout as sleep } from 'node:timers/promises';
import { HandoffKitError } from '../../internal/index.js';

/** Thrown with the reason if a check does not apply to the adapter. */
export class NotApplicableError extends Error {}

/** A failed conformance check. The message says what happened, what was expected and what to do. */
export class ConformanceError extends HandoffKitError {
  declare readonly code: 'NOT_CONFORMING';
}

/** Thrown by {@link fail}; the runner turns it into a {@link ConformanceError}. */
export class CheckFailure extends Error {}

/** `what` says what happened. */
export function fail(what: string, cause?: unknown): never {
  throw new CheckFailure(what, cause === undefined ? undefined : { cause });
}

/** Quotes a text, cut to 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 57)}…`);
}

/** Describes an error in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const kind = 'kind' in error ? ` of kind ${String(error.kind)}` : '';
  return `${error.name === 'Error' ? 'an error' : error.name}${kind}: ${error.message}`;
}

/** Waits until `look` returns a value. `what` completes the sentence "waited for …" of the failure. */
export type WaitFor = <Value>(
  what: string | (() => string),
  look: () => Promise<Value | null | undefined | false> | Value | null | undefined | false,
) => Promise<Value>;

const POLL_INTERVAL_MS = 15;

export function createWaitFor(timeoutMs: number): WaitFor {
  return async (what, look) => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const value = await look();
      if (value !== null && value !== undefined && value !== false) return value;
      if (performance.now() > deadline) {
        const missed = typeof what === 'string' ? what : what();
        fail(`waited ${timeoutMs} ms for ${missed}, and it did not happen.`);
      }
      await sleep(POLL_INTERVAL_MS);
    }
  };
}
