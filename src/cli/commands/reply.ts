import type { Command } from 'commander';
import { EXIT } from '../exit.js';
import { readText } from '../read-text.js';
import { print } from '../run-command.js';
import {
  addServiceFlags,
  runWithService,
  SERVICE_HELP,
  type ServiceFlags,
} from '../service/service-flags.js';

type ReplyFlags = ServiceFlags & { readonly conversation: string };

const MORE_HELP = `${SERVICE_HELP}

Examples:
  $ handoff-kit reply --conversation 65d4… 'Good morning, how can I help?'
  $ cat answer.txt | handoff-kit reply --conversation 65d4… -

A reply is never sent twice: where it is not known whether it arrived, the command says so and ends with 1.

Exit codes: 0 the service took it, 1 it did not or that is not known, 2 wrong use: nothing was sent`;

/** `reply`: says something to a user during a handoff. */
export function define(command: Command): void {
  command
    .description('Sends a reply to the user of a handed-over conversation.')
    .argument('<text>', 'what the user gets to read, "-" for standard input')
    .requiredOption('--conversation <id>', 'the conversation_id of the handoff request');
  addServiceFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(text: string, flags: ReplyFlags): Promise<void> {
  return runWithService(flags, async (service, output) => {
    const words = text === '-' ? (await readText('-')).trimEnd() : text;
    const { conversation: conversationId } = flags;
    const answer = await service.reply({ conversationId, text: words });
    print(output, { ok: true, conversationId, answer }, 'Sent.');
    return EXIT.ok;
  });
}
