import { HandoffKitError } from '../../internal/index.js';
import type { CheckContext } from './check-context.js';
import type { HarnessFeature } from './harness.js';

/** One requirement on adapters. */
export interface ConformanceCheck {
  /** Short and stable id, used by `unsupported` and `only`. */
  readonly id: string;
  /** The requirement as a sentence. */
  readonly title: string;
  /** The expected result, quoted in a failure. */
  readonly expected: string;
  /** How to fix a failure. */
  readonly advice: string;
  /** Features of the system that the check needs. */
  readonly needs?: readonly HarnessFeature[];
  /** Resolves if the requirement holds; otherwise throws, usually by {@link fail}. */
  run(context: CheckContext): Promise<void>;
}

/** Thrown by a check that does not apply to the adapter, with the reason. */
export class NotApplicableError extends Error {}

/** A failed conformance check. The message says what happened, what was expected and what to do. */
export class ConformanceError extends HandoffKitError {
  declare readonly code: 'NOT_CONFORMING';
}

/** Thrown by {@link fail}; the runner turns it into a {@link ConformanceError}. */
export class CheckFailure extends Error {}

/** Fails a check. `what` says what happened. */
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
