import { EXIT } from '../exit.js';
import { type Output, outputFor, printFailure } from '../output.js';
import { createCommandLog } from './command-log.js';
import { playScript } from './play-script.js';
import { createScriptText } from './script-text.js';
import { type Demo, QUESTION, startDemo } from './start-demo.js';
import { watchUntilStopped } from './watch-until-stopped.js';

/** What the command line says of the demo. */
export interface DemoFlags {
  readonly port: number;
  readonly automatic?: boolean;
  readonly script?: boolean;
  readonly json?: boolean;
}

/** Starts the demo, and plays its script or shows what happens until it is stopped. */
export async function runDemo({
  port,
  automatic = false,
  script = false,
  json = false,
}: DemoFlags): Promise<void> {
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
