import { HandoffKitError } from '../../internal/index.js';

/** An adapter that does not do what it should. The message says what happened, what was expected and what to do. */
export class ConformanceError extends HandoffKitError {
  declare readonly code: 'NOT_CONFORMING';
}

/** What a check found, in words; its check adds what was expected and what to do. */
export class Finding extends Error {}

/** Ends a check with what it found. */
export function found(what: string, cause?: unknown): never {
  throw new Finding(what, cause === undefined ? undefined : { cause });
}

/** A text of people in an error, short enough to read. */
export function shortened(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 57)}…`);
}

/** What an error says, for the text of another. */
export function saying(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const kind = 'kind' in error ? ` of kind ${String(error.kind)}` : '';
  return `${error.name === 'Error' ? 'an error' : error.name}${kind}: ${error.message}`;
}
