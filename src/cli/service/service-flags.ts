import { type Command, Option } from 'commander';
import type { ServiceClient } from '../../client/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { Output, OutputFlags } from '../output.js';
import { parseTime } from '../parse-flags.js';
import { addOutputFlags, runCommand } from '../run-command.js';

/** What the command line says of the service. */
export interface ServiceFlags extends OutputFlags {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly timeout?: number;
}

/** What every command of the service says in its help. */
export const SERVICE_HELP = `
The service is found by SERVICE_BASE_URL and SERVICE_API_KEY of the environment, or by the flags. Other users of a
machine can see command lines: give the key in the environment.`;

/** Adds the flags of a command that calls the service. */
export function addServiceFlags(command: Command): Command {
  return addOutputFlags(
    command
      .addOption(
        new Option('--base-url <url>', 'where the service is; there is no default').env('SERVICE_BASE_URL'),
      )
      .addOption(new Option('--api-key <key>', "the agent's API key").env('SERVICE_API_KEY'))
      .addOption(new Option('--timeout <time>', 'how long one attempt may take').argParser(parseTime)),
  );
}

/** Runs a command that calls the service: makes the client, and tells failures in the words of the shell. */
export function runWithService(
  flags: ServiceFlags,
  work: (service: ServiceClient, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const { baseUrl = '', apiKey = '', timeout: timeoutMs } = flags;
    const { createServiceClient } = await import('../../client/index.js');
    try {
      return await work(createServiceClient({ baseUrl, apiKey, timeoutMs }), output);
    } catch (error) {
      throw inShellWords(error);
    }
  });
}

const SHELL_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bbaseUrl\b/g, 'SERVICE_BASE_URL (--base-url)'],
  [/\bapiKey\b/g, 'SERVICE_API_KEY (--api-key)'],
  [/\btimeoutMs\b/g, '--timeout'],
];

/** The same failure, with the names that somebody at a shell knows. */
export function inShellWords<Failure>(error: Failure): Failure {
  if (!(error instanceof HandoffKitError)) return error;
  error.message = SHELL_WORDS.reduce((text, [name, word]) => text.replace(name, word), error.message);
  return error;
}
