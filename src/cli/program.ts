import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import { COMMANDS } from './command-list.js';
import { EXIT } from './exit.js';

const MORE_HELP = `
Start here:
  $ handoff-kit demo             a whole handoff on this machine, in a browser
  $ handoff-kit serve --dev      a receiver on this machine, with commands to paste
  $ handoff-kit help serve       all its settings

Exit codes: 0 it worked, 1 the answer is no, 2 it was used in a wrong way`;

const { version }: { version: string } = createRequire(import.meta.url)('../../package.json');

/** Makes the command line. Of its commands only the one that is named is more than a line of help. */
async function createProgram(named: string | undefined): Promise<Command> {
  const program = new Command('handoff-kit')
    .description("The developer's side of a conversational-agent platform: webhooks and human handoffs.")
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError('Help: handoff-kit --help, or handoff-kit help <command>')
    .addHelpText('after', MORE_HELP)
    .exitOverride();
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary);
    if (name === named) (await load()).define(command);
  }
  // Commands take over how help looks when they are made, and this is for the list of the program alone.
  return program.configureHelp({ subcommandTerm: termOf });
}

/** How a command is listed: most of them do not know what they take. */
function termOf(command: Command): string {
  const listed = COMMANDS.find(({ name }) => name === command.name());
  if (!listed) return new Help().subcommandTerm(command);
  return listed.takes === undefined ? listed.name : `${listed.name} ${listed.takes}`;
}

/** The command that a command line names: its first word, or the one that it asks help for. */
function namedIn(argv: readonly string[]): string | undefined {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

/** Runs a command line. Sets the exit code; a command line that cannot be understood is wrong use. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = await createProgram(namedIn(argv));
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.wrongUse;
  }
}
