import type { Command } from 'commander';
import type { DemoFlags } from '../demo/run-demo.js';
import { parsePort } from '../parse-flags.js';

const MORE_HELP = `
It needs no account and no settings: a simulated service, a receiver and a desk for human agents start together on
this machine, with credentials made up for this run. Open the page that it names: left you are a customer, right the
human agent who answers. The link lets you into the desk once; whoever has it later is asked to log in.

With --automatic a program stands in for the human: it greets, answers every message, and closes when you say "bye".

What is printed:
  → the service sends something to the receiver (an agent's message, establish, chat, close)
  ← the receiver calls the service (reply, human close)
  Each comes with the request and the answer. Credentials are never shown.

Examples:
  See a handoff in the browser:
    $ handoff-kit demo

  Without the desk, answered by a program:
    $ handoff-kit demo --automatic

  On a port of your choice:
    $ handoff-kit demo --port 8080

  Two whole conversations in the terminal, without a browser:
    $ handoff-kit demo --script

  The same for a program, one JSON object a line:
    $ handoff-kit demo --script --json

Next: handoff-kit serve --dev runs a receiver alone, handoff-kit simulate the service alone.

Exit codes:
  0  stopped by SIGINT or SIGTERM; with --script: every step went as it should
  1  could not start; with --script: a step went wrong
  2  used in a wrong way`;

/** `demo`: the simulated service, a receiver and the desk together. */
export function define(command: Command): void {
  command
    .description(
      'Starts a simulated service, a receiver and a desk together, and shows what goes between them.',
    )
    .option('--port <number>', 'the port of the page; 0 takes any free one', parsePort, 0)
    .option('--automatic', 'let a program stand in for the human, without the desk')
    .option('--script', 'play two conversations here in the terminal, then end')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', MORE_HELP)
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import('../demo/run-demo.js');
      await runDemo(flags);
    });
}
