import type { Command } from 'commander';
import { createCommandLog } from '../demo/command-log.js';
import { playScript } from '../demo/play-script.js';
import { createScriptText } from '../demo/script-text.js';
import { type Demo, QUESTION, startDemo } from '../demo/start-demo.js';
import { watchUntilStopped } from '../demo/watch-until-stopped.js';
import { EXIT, type Output, outputFor, printFailure } from '../output.js';
import { parsePort } from '../parse-flags.js';

interface DemoFlags {
  readonly port: number;
  readonly script?: boolean;
  readonly json?: boolean;
}

const MORE_HELP = `
It needs no account and no settings: a simulated service and a receiver start together on this machine, with
credentials made up for this run. Open the page that it names, type as a customer and ask for a human. The
"human" is automatic: it greets, answers every message, and closes when you say "bye".

What is printed:
  → the service sends something to the receiver (an agent's message, establish, chat, close)
  ← the receiver calls the service (reply, human close)
  Each comes with the request and the answer. Credentials are never shown.

Examples:
  See a handoff in the browser:
    $ handoff-kit demo

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

/** Adds `demo`: the simulated service and a receiver together. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .summary('see a whole handoff on this machine, without settings')
    .description('Starts a simulated service and a receiver together, and shows what goes between them.')
    .option('--port <number>', 'the port of the page; 0 takes any free one', parsePort, 0)
    .option('--script', 'play two conversations here in the terminal, then end')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', MORE_HELP)
    .action(run);
}

async function run({ port, script = false, json = false }: DemoFlags): Promise<void> {
  const output = outputFor({ json });
  try {
    const demo = await startDemo({ port, log: createCommandLog(output) });
    process.exitCode = await (script ? play : watch)(demo, output);
  } catch (error) {
    printFailure(error, output);
    process.exitCode = EXIT.no;
  }
}

async function play(demo: Demo, { json, colours }: Output): Promise<number> {
  const text = createScriptText(colours);
  const print = (data: object, words: string): void => {
    process.stdout.write(`${json ? JSON.stringify(data) : words}\n`);
  };
  if (!json) process.stdout.write(`${text.opening}\n`);
  const played = await playScript(demo, (step) => print(step, text.step(step)));
  print(played, text.end(played));
  await demo.close();
  return played.ok ? EXIT.ok : EXIT.no;
}

async function watch(demo: Demo, output: Output): Promise<number> {
  const { pageUrl: url, receiverUrl, simulator, close } = demo;
  const data = { url, openapi: `${url}/openapi.json`, receiverUrl };
  const opening = { data, text: welcome(demo) };
  await watchUntilStopped({ traffic: simulator.traffic, opening, close }, output);
  return EXIT.ok;
}

const welcome = ({ pageUrl, receiverUrl }: Demo): string => `
  Open ${pageUrl} in a browser (Ctrl-C stops the demo)

  1. Type as a customer, for instance: ${QUESTION}
     The agent answers, and the receiver hears of it.
  2. Ask for a human. The receiver accepts, and its automatic first reply connects you.
  3. Write on: each message is answered automatically. "bye" makes the human close; Close is you leaving.
  4. Beside the chat is every request with its answer, and faults to switch on.

  The receiver is at ${receiverUrl}, the contract at ${pageUrl}/openapi.json.
  → the service sends, ← the receiver calls:
`;
