import { type Command, Option } from 'commander';
import type { PlatformClient } from '../client/index.js';
import { HandoffKitError } from '../internal/index.js';
import { parseDuration, renamed } from './flags.js';
import { addOutputFlags, type Output, type OutputFlags, runCommand } from './output.js';

/** The flags of a command that calls the platform. */
export interface PlatformFlags extends OutputFlags {
  readonly platformBaseUrl?: string;
  readonly platformApiKey?: string;
  readonly timeout?: number;
}

/** The explanation of {@link addPlatformFlags} for the help. */
export const PLATFORM_HELP = `
PLATFORM_BASE_URL and PLATFORM_API_KEY of the environment or of the file .env, or the flags, name the platform. Other users of a machine
can see command lines: give the key in the environment.`;

/** Adds the flags of a command that calls the platform. */
export function addPlatformFlags(command: Command): Command {
  addOutputFlags(command)
    .addOption(
      new Option('--platform-base-url <url>', 'the base URL of the platform; no default').env(
        'PLATFORM_BASE_URL',
      ),
    )
    .addOption(new Option('--platform-api-key <key>', "the bot's API key").env('PLATFORM_API_KEY'))
    .addOption(new Option('--timeout <time>', 'the limit for one attempt').argParser(parseDuration));
  renamed(command, '--base-url', '--platform-base-url');
  return renamed(command, '--api-key', '--platform-api-key');
}

/** Creates the client and runs the action with it. Errors name flags instead of the client's options. */
export function runWithPlatform(
  flags: PlatformFlags,
  action: (platform: PlatformClient, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const { platformBaseUrl: baseUrl = '', platformApiKey: apiKey = '', timeout: timeoutMs } = flags;
    const { createPlatformClient } = await import('../client/index.js');
    try {
      return await action(createPlatformClient({ baseUrl, apiKey, timeoutMs }), output);
    } catch (error) {
      throw withFlagNames(error);
    }
  });
}

const FLAG_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bbaseUrl\b/g, 'PLATFORM_BASE_URL (--platform-base-url)'],
  [/\bapiKey\b/g, 'PLATFORM_API_KEY (--platform-api-key)'],
  [/\btimeoutMs\b/g, '--timeout'],
];

/** Replaces the names of the client's options in an error message by those of flags. */
export function withFlagNames<Failure>(error: Failure): Failure {
  if (!(error instanceof HandoffKitError)) return error;
  error.message = FLAG_NAMES.reduce((text, [option, flag]) => text.replace(option, flag), error.message);
  return error;
}
