import { type Command, Option } from 'commander';
import type { PlatformClient } from '../client/index.js';
import { settingsSchema } from '../standalone/index.js';
import { parseDuration } from './flags.js';
import { addOutputFlags, type Output, type OutputFlags, runCommand, UsageError } from './output.js';

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
  return addOutputFlags(command)
    .addOption(
      new Option('--platform-base-url <url>', 'the base URL of the platform; no default').env(
        'PLATFORM_BASE_URL',
      ),
    )
    .addOption(new Option('--platform-api-key <key>', "the bot's API key").env('PLATFORM_API_KEY'))
    .addOption(new Option('--timeout <time>', 'the limit for one attempt').argParser(parseDuration));
}

/** Creates the client and runs the action with it. */
export function runWithPlatform(
  flags: PlatformFlags,
  action: (platform: PlatformClient, output: Output) => Promise<number>,
): Promise<void> {
  return runCommand(flags, async (output) => {
    const { createPlatformClient } = await import('../client/index.js');
    return action(createPlatformClient({ ...platformOf(flags), timeoutMs: flags.timeout }), output);
  });
}

const { platformBaseUrl, platformApiKey } = settingsSchema.shape;

/** The platform that the flags name, by the rules of the settings. */
function platformOf(flags: PlatformFlags): { readonly baseUrl: string; readonly apiKey: string } {
  return {
    baseUrl: required(platformBaseUrl, flags.platformBaseUrl, 'PLATFORM_BASE_URL (--platform-base-url)'),
    apiKey: required(platformApiKey, flags.platformApiKey, 'PLATFORM_API_KEY (--platform-api-key)'),
  };
}

function required(
  schema: typeof platformBaseUrl | typeof platformApiKey,
  text: string | undefined,
  name: string,
): string {
  const { data, error } = schema.safeParse(text?.trim() === '' ? undefined : text);
  if (data !== undefined) return data;
  throw new UsageError(
    `${name} ${error?.issues[0]?.message ?? 'is missing: this command calls the platform.'}`,
  );
}
