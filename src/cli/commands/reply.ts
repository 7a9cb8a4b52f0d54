import type { Command } from 'commander';
import { readText } from '../input.js';
import { EXIT, print } from '../output.js';
import { addPlatformFlags, PLATFORM_HELP, type PlatformFlags, runWithPlatform } from '../platform-flags.js';

type ReplyFlags = PlatformFlags & { readonly conversation: string };

const MORE_HELP = `${PLATFORM_HELP}

Examples:
  $ handoff-kit reply --conversation 65d4… 'Good morning, how can I help?'
  $ cat answer.txt | handoff-kit reply --conversation 65d4… -

A reply is never sent twice: when it is unknown whether it arrived, the command says so and exits with 1.

Exit codes: 0 the platform accepted it, 1 it did not or that is unknown, 2 wrong use: nothing was sent`;

/** `reply`: sends a reply to a user during a handoff. */
export function define(command: Command): void {
  command
    .description('Sends a reply to the user of a handed-over conversation.')
    .argument('<text>', 'the text for the user, "-" for standard input')
    .requiredOption('--conversation <id>', 'the conversation_id of the handoff request');
  addPlatformFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(argument: string, flags: ReplyFlags): Promise<void> {
  return runWithPlatform(flags, async (platform, output) => {
    const text = argument === '-' ? (await readText('-')).trimEnd() : argument;
    const { conversation: conversationId } = flags;
    const answer = await platform.reply({ conversationId, text });
    print(output, { ok: true, conversationId, answer }, 'Sent.');
    return EXIT.ok;
  });
}
