import { HandoffKitError } from '../../internal/index.js';
import type { CheckContext } from './check-context.js';
import type { HarnessFeature } from './harness.js';

/** One thing that an adapter must do. */
export interface ConformanceCheck {
  /** Short and stable: what `unsupported` and `only` name it by. */
  readonly id: string;
  /** What holds for an adapter that conforms. */
  readonly title: string;
  /** What was expected, for a failure. */
  readonly expected: string;
  /** What to do about a failure. */
  readonly advice: string;
  /** What the system must have for it. */
  readonly needs?: readonly HarnessFeature[];
  /** Ends without a word when it holds; throws what it found when not. */
  run(context: CheckContext): Promise<void>;
}

/** Thrown by a check that has nothing to look at, with the reason. */
export class NotApplicableError extends Error {}

/** An adapter that does not do what it should. The message says what happened, what was expected and what to do. */
export class ConformanceError extends HandoffKitError {
  declare readonly code: 'NOT_CONFORMING';
}

/** What a check found, in words; its check adds what was expected and what to do. */
export class CheckFailure extends Error {}

/** Ends a check with what it found. */
export function fail(what: string, cause?: unknown): never {
  throw new CheckFailure(what, cause === undefined ? undefined : { cause });
}

/** A text of people in an error, short enough to read. */
export function quote(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 57)}…`);
}

/** What an error says, for the text of another. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const kind = 'kind' in error ? ` of kind ${String(error.kind)}` : '';
  return `${error.name === 'Error' ? 'an error' : error.name}${kind}: ${error.message}`;
}
