import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { registerAdapter } from './commands/adapter.js';
import { registerCheck } from './commands/check.js';
import { registerClose } from './commands/close.js';
import { registerDemo } from './commands/demo.js';
import { registerDesk } from './commands/desk.js';
import { registerDoctor } from './commands/doctor.js';
import { registerForget } from './commands/forget.js';
import { registerHealth } from './commands/health.js';
import { registerInbox } from './commands/inbox.js';
import { registerOutbox } from './commands/outbox.js';
import { registerQa } from './commands/qa.js';
import { registerReply } from './commands/reply.js';
import { registerSend } from './commands/send.js';
import { registerServe } from './commands/serve.js';
import { registerSimulate } from './commands/simulate.js';
import { EXIT } from './output.js';

/** Adds one command to the program. */
type Register = (program: Command) => void;

/** Every command, in the order in which help lists them. */
const COMMANDS: readonly Register[] = [
  registerDemo,
  registerServe,
  registerInbox,
  registerOutbox,
  registerForget,
  registerAdapter,
  registerDesk,
  registerSimulate,
  registerSend,
  registerDoctor,
  registerCheck,
  registerHealth,
  registerReply,
  registerClose,
  registerQa,
];

const MORE_HELP = `
Start here:
  $ handoff-kit demo             a whole handoff on this machine, in a browser
  $ handoff-kit serve --dev      a receiver on this machine, with commands to paste
  $ handoff-kit help serve       all its settings

Exit codes: 0 it worked, 1 the answer is no, 2 it was used in a wrong way`;

const { version }: { version: string } = createRequire(import.meta.url)('../../package.json');

/** Makes the command line with all its commands. */
function createProgram(): Command {
  const program = new Command('handoff-kit')
    .description("The developer's side of a conversational-agent platform: webhooks and human handoffs.")
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError('Help: handoff-kit --help, or handoff-kit help <command>')
    .addHelpText('after', MORE_HELP)
    .exitOverride();
  for (const register of COMMANDS) register(program);
  return program;
}

/** Runs a command line. Sets the exit code; a command line that cannot be understood is wrong use. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.wrongUse;
  }
}
