import { type Command, Option } from 'commander';
import type { Demo } from '../demo/server.js';
import { parsePort } from '../flags.js';
import { EXIT, type Output, print, runCommand } from '../output.js';

interface DemoFlags {
  readonly port: number;
  readonly bots: '1' | '2';
  readonly automatic?: boolean;
  readonly script?: boolean;
  readonly json?: boolean;
}

const MORE_HELP = `
It needs no account and no settings: a simulated platform, a receiver and a desk for agents start together on
this machine, with credentials generated for this run. Open the page in the output: it leads you through a handoff, as
the customer and as the agent who answers, or plays it for you. The link works in every browser of this machine until
the demo ends. Conversations are kept in a temporary SQLite file, which is removed at the end.

With --automatic a program plays the agent: it greets, answers every message, and closes when you say "bye".

Output:
  → the platform sends a request to the receiver (a bot's message, establish, chat, close)
  ← the receiver calls the platform (reply, agent close)
  Each comes with the request and the answer. Credentials are never shown.

Examples:
  See a handoff in the browser:
    $ handoff-kit demo

  Without the desk, answered by a program:
    $ handoff-kit demo --automatic

  With two bots, sales and support, in one receiver:
    $ handoff-kit demo --bots 2

  On a port of your choice:
    $ handoff-kit demo --port 8080

  Two whole conversations in the terminal, without a browser:
    $ handoff-kit demo --script

  The same for a program, one JSON object per line:
    $ handoff-kit demo --script --json

Next: handoff-kit serve --dev runs a receiver alone, handoff-kit simulate the platform alone.

Exit codes:
  0  stopped by SIGINT or SIGTERM; with --script: every step succeeded
  1  could not start; with --script: a step failed
  2  wrong use`;

/** `demo`: the simulated platform, a receiver and the desk together. */
export function define(command: Command): void {
  command
    .description(
      'Starts a simulated platform, a receiver and a desk together, and shows the requests between them.',
    )
    .option('--port <number>', 'the port of the page; 0 takes any free one', parsePort, 0)
    .addOption(
      new Option('--bots <number>', 'the number of bots; with two, the desk shows whose conversation it is')
        .choices(['1', '2'])
        .default('1'),
    )
    .option('--automatic', 'let a program play the agent, without the desk')
    .option('--script', 'play two conversations in the terminal, then exit')
    .option('--json', 'one JSON object per line')
    .addHelpText('after', MORE_HELP)
    .action(({ json = false, ...flags }: DemoFlags) =>
      runCommand({ json }, (output) => runDemo(flags, output)),
    );
}

async function runDemo(
  { port, bots, automatic = false, script = false }: Omit<DemoFlags, 'json'>,
  output: Output,
): Promise<number> {
  const { startDemo } = await import('../demo/server.js');
  const { createCommandLog } = await import('../traffic.js');
  const isAutomatic = automatic || script;
  const log = createCommandLog(output);
  const demo = await startDemo({ port, log, automatic: isAutomatic, bots: bots === '2' ? 2 : 1 });
  return script ? playDemo(demo, output) : watchDemo(demo, output, isAutomatic);
}

async function playDemo(demo: Demo, output: Output): Promise<number> {
  const { createScriptText, playScript } = await import('../demo/play-script.js');
  const text = createScriptText(output.colours);
  if (!output.json) process.stdout.write(`${text.opening}\n`);
  const played = await playScript(demo, (step) => print(output, step, text.step(step)));
  print(output, played, text.end(played));
  await demo.close();
  return played.ok ? EXIT.ok : EXIT.no;
}

async function watchDemo(demo: Demo, output: Output, automatic: boolean): Promise<number> {
  const { watchTraffic } = await import('../traffic.js');
  const { pageUrl: url, platformUrl, receiverUrl, simulator, close } = demo;
  const data = { url, openapi: `${platformUrl}/openapi.json`, receiverUrl };
  const text = automatic ? automaticWelcome(demo) : deskWelcome(demo);
  await watchTraffic({ traffic: simulator.traffic, opening: { data, text }, close }, output);
  return EXIT.ok;
}

const deskWelcome = ({ pageUrl, ...urls }: Demo): string => `
  Open ${pageUrl} in a browser (Ctrl-C stops the demo)

  It shows a customer of the platform, the desk where you are the agent, and every request between them.
  The page says what to do next; "Play it for me" does it. The link works until the demo ends.

${urlLines(urls)}`;

const automaticWelcome = ({ pageUrl, sampleQuestion, ...urls }: Demo): string => `
  Open ${pageUrl} in a browser (Ctrl-C stops the demo)

  1. Write as a customer, for instance: ${sampleQuestion}
     The bot answers, and the receiver gets a copy of the answer.
  2. Ask for a human. The receiver accepts, and its automatic first reply connects you.
  3. Continue to write: each message is answered automatically. "bye" makes the agent close; Close is you leaving.
  4. Beside the chat is every request with its answer, and faults to switch on.

${urlLines(urls)}`;

const urlLines = ({ platformUrl, receiverUrl }: Pick<Demo, 'platformUrl' | 'receiverUrl'>): string =>
  `  The receiver is at ${receiverUrl}, the API description at ${platformUrl}/openapi.json.
  → the platform sends, ← the receiver calls:
`;
