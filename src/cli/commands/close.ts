import type { Command } from 'commander';
import { EXIT, print } from '../output.js';
import { addPlatformFlags, PLATFORM_HELP, type PlatformFlags, runWithPlatform } from '../platform-flags.js';

type CloseFlags = PlatformFlags & { readonly conversation: string };

const MORE_HELP = `${PLATFORM_HELP}

Example:
  $ handoff-kit close --conversation 65d4…

Exit codes: 0 the handoff has ended, 1 the platform refused, 2 wrong use`;

/** `close`: ends a handoff as an agent. */
export function define(command: Command): void {
  command
    .description(
      'Ends a handed-over conversation: the user gets no more replies of agents until asking again.',
    )
    .requiredOption('--conversation <id>', 'the conversation_id of the handoff request');
  addPlatformFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(flags: CloseFlags): Promise<void> {
  return runWithPlatform(flags, async (platform, output) => {
    const { conversation: conversationId } = flags;
    const answer = await platform.end({ conversationId });
    print(output, { ok: true, conversationId, answer }, 'Closed.');
    return EXIT.ok;
  });
}
