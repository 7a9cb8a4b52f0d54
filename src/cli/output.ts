import { HandoffKitError } from '../internal/index.js';

/** Whether output is for programs; absent when the command line does not say. */
export interface OutputFlags {
  readonly json?: boolean | undefined;
}

/** How a command shows things. */
export interface Output {
  /** For programs (JSON) rather than for people (text). */
  readonly json: boolean;
  /** Whether text has colours. */
  readonly colours: boolean;
}

/** A place where output goes. */
export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Decides how to show things: as the flag says, else text on a terminal and JSON elsewhere. */
export function outputFor(
  { json }: OutputFlags,
  stream: OutputStream = process.stdout,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Output {
  const isTerminal = stream.isTTY === true;
  return {
    json: json ?? !isTerminal,
    colours: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

/** Says why a command failed. What is not an error of this package is a mistake in it, and shown with its stack. */
export function printFailure(
  error: unknown,
  { json }: Pick<Output, 'json'>,
  stream: OutputStream = process.stderr,
): void {
  if (!(error instanceof HandoffKitError)) {
    stream.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return;
  }
  const { code, message } = error;
  const more = 'problems' in error ? { problems: error.problems } : {};
  stream.write(
    json ? `${JSON.stringify({ error: { code, message, ...more } })}\n` : `handoff-kit ${message}\n`,
  );
}
