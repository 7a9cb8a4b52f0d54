import type { Command } from 'commander';
import { HandoffKitError } from '../internal/index.js';
import { ValidationError } from '../protocol/index.js';
import { EXIT } from './exit.js';
import { type Output, type OutputFlags, outputFor, printFailure } from './output.js';

/** A command was used in a way that makes no sense. The message says what to do instead. */
export class UsageError extends HandoffKitError {
  constructor(message: string, options?: ErrorOptions) {
    super('WRONG_USE', message, options);
  }
}

/** Adds the flags that say how a command shows things. */
export function addOutputFlags(command: Command): Command {
  return command
    .option('--json', 'one JSON object; the default where the output is no terminal')
    .option('--no-json', 'text for people, wherever the output goes');
}

/** Runs what a command does. Its result is the exit code; what it throws is told, and decides the code. */
export async function runCommand(
  flags: OutputFlags,
  work: (output: Output) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await work(outputFor(flags));
  } catch (error) {
    printFailure(error, { json: flags.json === true });
    process.exitCode = isWrongUse(error) ? EXIT.wrongUse : EXIT.no;
  }
}

/** Prints a result: as data for programs, as text for people. */
export function print({ json }: Pick<Output, 'json'>, data: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
}

/** What was told to the program makes no sense. */
const WRONG_SETTINGS: ReadonlySet<string> = new Set(['CONFIG_INVALID', 'SETTINGS_INVALID', 'INVALID_AGENT']);

const isWrongUse = (error: unknown): boolean =>
  error instanceof UsageError ||
  error instanceof ValidationError ||
  (error instanceof HandoffKitError && WRONG_SETTINGS.has(error.code));
