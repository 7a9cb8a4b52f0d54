import type { Command } from 'commander';
import { HandoffKitError } from '../internal/index.js';
import { printable } from '../internal/readable-log.js';
import { ValidationError } from '../protocol/index.js';

/** The exit codes of every command. */
export const EXIT = {
  /** The command succeeded. */
  ok: 0,
  /** The command failed, or its answer is no. */
  no: 1,
  /** Wrong use: an invalid flag, argument or setting. */
  wrongUse: 2,
} as const;

/** The output flags of a command line. */
export interface OutputFlags {
  /** `true` for `--json`. */
  readonly json?: boolean | undefined;
}

/** The output format of a command. */
export interface Output {
  /** JSON for programs instead of text for people. */
  readonly json: boolean;
  readonly colours: boolean;
}

/** A stream that output is written to. */
export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A command was used in a wrong way. The message says what to do instead; the exit code is 2. */
export class UsageError extends HandoffKitError {
  constructor(message: string, options?: ErrorOptions) {
    super('WRONG_USE', message, options);
  }
}

/** Adds `--json`. */
export const addOutputFlags = (command: Command): Command =>
  command.option('--json', 'one JSON object for programs, instead of text for people');

/** Chooses the format: text, also without a terminal, unless the flag asks for JSON. */
export function outputFor(
  { json }: OutputFlags,
  stream: OutputStream = process.stdout,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Output {
  const isTerminal = stream.isTTY === true;
  return {
    json: json === true,
    colours: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

/** Runs the action of a command, which resolves to the exit code. An error is printed and decides the exit code. */
export async function runCommand(
  flags: OutputFlags,
  action: (output: Output) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await action(outputFor(flags));
  } catch (error) {
    printFailure(error, { json: flags.json === true });
    process.exitCode = exitCodeOf(error);
  }
}

/** Codes of errors in flags and settings, and of a setting that needs a package which is not installed. */
const WRONG_USE_CODES: ReadonlySet<string> = new Set([
  'WRONG_USE',
  'CONFIG_INVALID',
  'SETTINGS_INVALID',
  'INVALID_AGENT',
  'RECORDING_INVALID',
  'SQLITE_MISSING',
  'PG_MISSING',
]);

/** The exit code of a command that ended with an error. */
export function exitCodeOf(error: unknown): number {
  const isWrongUse =
    error instanceof ValidationError || (error instanceof HandoffKitError && WRONG_USE_CODES.has(error.code));
  return isWrongUse ? EXIT.wrongUse : EXIT.no;
}

/** Prints a result on standard output: `data` for programs, `text` for people. */
export function print({ json }: Pick<Output, 'json'>, data: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
}

/** Prints why a command failed. Any other error than a HandoffKitError is a bug and is shown with its stack. */
export function printFailure(
  error: unknown,
  { json }: Pick<Output, 'json'>,
  stream: OutputStream = process.stderr,
): void {
  if (!(error instanceof HandoffKitError)) {
    stream.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return;
  }
  const { data, text } = describeFailure(error);
  stream.write(`${json ? JSON.stringify({ error: data }) : text}\n`);
}

/** The fields of a `PlatformError`, whose class is loaded only by commands that call the platform. */
interface PlatformFailure {
  readonly platformCode: number | null;
  readonly platformMessage: string | null;
  readonly outcome: string;
}

/** An error as data for programs and as text for people, with what the platform said about it. */
export function describeFailure(error: HandoffKitError): { readonly data: object; readonly text: string } {
  const { code, message } = error;
  const problems = 'problems' in error ? { problems: error.problems } : {};
  if (!('platformMessage' in error))
    return { data: { code, message, ...problems }, text: asSentence(message) };
  const { platformCode, platformMessage, outcome } = error as HandoffKitError & PlatformFailure;
  const said = platformMessage === null ? '' : `\nThe platform says: ${printable(platformMessage)}`;
  return {
    data: { code, message, platformCode, platformMessage, outcome },
    text: `${printable(asSentence(message))}${said}`,
  };
}

/** Capitalises the message of an error, which stands alone here. Names such as `baseUrl` stay as they are. */
export function asSentence(message: string): string {
  return message.replace(/^[a-z]+(?=[ ,:])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** Aligns rows in columns, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A size for people. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
