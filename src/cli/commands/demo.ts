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
  readonly automatic?: boolean;
  readonly script?: boolean;
  readonly json?: boolean;
}

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

/** Adds `demo`: the simulated service, a receiver and the desk together. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .summary('see a whole handoff on this machine, without settings')
    .description(
      'Starts a simulated service, a receiver and a desk together, and shows what goes between them.',
    )
    .option('--port <number>', 'the port of the page; 0 takes any free one', parsePort, 0)
    .option('--automatic', 'let a program stand in for the human, without the desk')
    .option('--script', 'play two conversations here in the terminal, then end')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', MORE_HELP)
    .action(run);
}

async function run({ port, automatic = false, script = false, json = false }: DemoFlags): Promise<void> {
  const output = outputFor({ json });
  try {
    const isAutomatic = automatic || script;
    const demo = await startDemo({ port, log: createCommandLog(output), automatic: isAutomatic });
    process.exitCode = script ? await play(demo, output) : await watch(demo, output, isAutomatic);
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

async function watch(demo: Demo, output: Output, automatic: boolean): Promise<number> {
  const { pageUrl: url, serviceUrl, receiverUrl, simulator, close } = demo;
  const data = { url, openapi: `${serviceUrl}/openapi.json`, receiverUrl };
  const opening = { data, text: automatic ? welcomeAlone(demo) : welcome(demo) };
  await watchUntilStopped({ traffic: simulator.traffic, opening, close }, output);
  return EXIT.ok;
}

const welcome = ({ pageUrl, serviceUrl, receiverUrl }: Demo): string => `
  Open ${pageUrl} in a browser (Ctrl-C stops the demo)

  Left is a customer of the platform, right the desk where you are the human agent. The link works once.
  1. Type as the customer, for instance: ${QUESTION}
     The AI agent answers, and the receiver hears of it.
  2. Ask for a human. The conversation comes up at the desk.
  3. Choose it there, read what was said, and answer. Both sides can close it.
  4. Below is every request with its answer. "Teach the AI" makes your answer its own.

${addresses({ serviceUrl, receiverUrl })}`;

const welcomeAlone = ({ pageUrl, serviceUrl, receiverUrl }: Demo): string => `
  Open ${pageUrl} in a browser (Ctrl-C stops the demo)

  1. Type as a customer, for instance: ${QUESTION}
     The agent answers, and the receiver hears of it.
  2. Ask for a human. The receiver accepts, and its automatic first reply connects you.
  3. Write on: each message is answered automatically. "bye" makes the human close; Close is you leaving.
  4. Beside the chat is every request with its answer, and faults to switch on.

${addresses({ serviceUrl, receiverUrl })}`;

const addresses = ({ serviceUrl, receiverUrl }: Pick<Demo, 'serviceUrl' | 'receiverUrl'>): string =>
  `  The receiver is at ${receiverUrl}, the contract at ${serviceUrl}/openapi.json.
  → the service sends, ← the receiver calls:
`;
