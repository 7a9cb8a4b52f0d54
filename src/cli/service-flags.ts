import { type Command, Option } from 'commander';
import type { ServiceClient } from '../client/index.js';
import { HandoffKitError } from '../internal/index.js';
import { parseDuration, renamed } from './flags.js';
import { addOutputFlags, type Output, type OutputFlags, runCommand } from './output.js';

/** The flags of a command that calls the platform. */
export interface ServiceFlags extends OutputFlags {
  readonly serviceBaseUrl?: string;
  readonly serviceApiKey?: string;
  readonly timeout?: number;
}

/** The explanation of {@link addServiceFlags} for the help. */
export const SERVICE_HELP = `
SERVICE_BASE_URL and SERVICE_API_KEY of the environment or of the file .env, or the flags, name the platform. Other users of a machine
can see command lines: give the key in the environment.`;

/** Adds the flags of a command that calls the platform. */
export function addServiceFlags(command: Command): Command {
  addOutputFlags(command)
    .addOption(
      new Option('--service-base-url <url>', 'the base URL of the platform; no default').env(
        'SERVICE_BASE_URL',
      ),
    )
    .addOption(new Option('--service-api-key <key>', "the agent's API key").env('SERVICE_API_KEY'))
    .addOption(new Option('--timeout <time>', 'the limit for one attempt').argParser(parseDuration));
  renamed(command, '--base-url', '--service-base-url');
  return renamed(command, '--api-key', '--service-api-key');
}

/** Creates the client and runs the action with it. Errors name flags instead of the client's options. */
export function runWithService(
  flags: ServiceFlags,
  action: (service: ServiceClient, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const { serviceBaseUrl: baseUrl = '', serviceApiKey: apiKey = '', timeout: timeoutMs } = flags;
    const { createServiceClient } = await import('../client/index.js');
    try {
      return await action(createServiceClient({ baseUrl, apiKey, timeoutMs }), output);
    } catch (error) {
      throw withFlagNames(error);
    }
  });
}

const FLAG_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bbaseUrl\b/g, 'SERVICE_BASE_URL (--service-base-url)'],
  [/\bapiKey\b/g, 'SERVICE_API_KEY (--service-api-key)'],
  [/\btimeoutMs\b/g, '--timeout'],
];

/** Replaces the names of the client's options in an error message by those of flags. */
export function withFlagNames<Failure>(error: Failure): Failure {
  if (!(error instanceof HandoffKitError)) return error;
  error.message = FLAG_NAMES.reduce((text, [option, flag]) => text.replace(option, flag), error.message);
  return error;
}
