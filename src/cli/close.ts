import type { Command } from 'commander';
import { EXIT } from './exit-codes.js';
import { print } from './output.js';
import { addServiceFlags, runWithService, SERVICE_HELP, type ServiceFlags } from './service-flags.js';

type CloseFlags = ServiceFlags & { readonly conversation: string };

const MORE_HELP = `${SERVICE_HELP}

Example:
  $ handoff-kit close --conversation 65d4…

Exit codes: 0 the handoff has ended, 1 the platform refused, 2 wrong use`;

/** `close`: ends a handoff from the human side. */
export function define(command: Command): void {
  command
    .description('Ends a handed-over conversation: the user gets no more human replies until asking again.')
    .requiredOption('--conversation <id>', 'the conversation_id of the handoff request');
  addServiceFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(flags: CloseFlags): Promise<void> {
  return runWithService(flags, async (service, output) => {
    const { conversation: conversationId } = flags;
    const answer = await service.end({ conversationId });
    print(output, { ok: true, conversationId, answer }, 'Closed.');
    return EXIT.ok;
  });
}
