import { createRequire } from 'node:module';
import { Command, CommanderError, Help, Option } from 'commander';
import { COMMANDS } from './command-list.js';

const MORE_HELP = `
Start here:
  $ handoff-kit demo             a whole handoff on this machine, in a browser
  $ handoff-kit serve --dev      a receiver on this machine, with commands to paste
  $ handoff-kit help serve       all its settings

Exit codes: 0 success, 1 failure or a negative answer, 2 wrong use`;

/** `EXIT.wrongUse`, without loading what commands need for their output. */
const WRONG_USE = 2;

const { version }: { version: string } = createRequire(import.meta.url)('../../package.json');

/** Creates the command line. Only the named command is loaded; of the others it knows name and summary. */
async function createProgram(commandName: string | undefined): Promise<Command> {
  const program = new Command('handoff-kit')
    .description("The developer's side of a chatbot platform: webhooks and human handoffs.")
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError('Help: handoff-kit --help, or handoff-kit help <command>')
    .addHelpText('after', MORE_HELP)
    .exitOverride();
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary);
    if (name !== commandName) continue;
    (await load()).define(command);
    addVersion(command);
  }
  // Subcommands inherit the help configuration when they are created; this one is for the program's list only.
  return program.configureHelp({ subcommandTerm: listTerm });
}

/** `--version` after any command, and after its subcommands. */
function addVersion(command: Command): void {
  command.addOption(new Option('-V, --version', 'show the version').hideHelp());
  command.on('option:version', () => {
    process.stdout.write(`${version}\n`);
    throw new CommanderError(0, 'commander.version', version);
  });
  for (const subcommand of command.commands) addVersion(subcommand);
}

/** The term of a command in the list. Commands that are not loaded do not know their own arguments. */
function listTerm(command: Command): string {
  const listed = COMMANDS.find(({ name }) => name === command.name());
  if (!listed) return new Help().subcommandTerm(command);
  return listed.takes === undefined ? listed.name : `${listed.name} ${listed.takes}`;
}

/** The command that a command line names: its first word, or the word after `help`. */
function commandNameIn(argv: readonly string[]): string | undefined {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

const WITHOUT_SETTINGS: readonly string[] = ['-h', '--help', '-V', '--version'];

/** Whether the command has settings, which may be in `.env`. A broken file does not prevent help. */
const readsEnvFile = (commandName: string | undefined, argv: readonly string[]): boolean =>
  COMMANDS.some(({ name, withoutSettings }) => name === commandName && !withoutSettings) &&
  argv[2] !== 'help' &&
  !argv.some((word) => WITHOUT_SETTINGS.includes(word));

/** Runs a command line and sets the exit code. A command line that commander rejects is wrong use. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const name = commandNameIn(argv);
  const program = await createProgram(name);
  try {
    if (readsEnvFile(name, argv)) {
      const { ENV_FILE, loadEnvFile, misspeltNames } = await import('./env-file.js');
      loadEnvFile(ENV_FILE);
      for (const warning of await misspeltNames()) {
        process.stderr.write(`${argv.includes('--json') ? JSON.stringify({ warning }) : warning}\n`);
      }
    }
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { exitCodeOf, printFailure } = await import('./output.js');
      printFailure(error, { json: argv.includes('--json') });
      process.exitCode = exitCodeOf(error);
      return;
    }
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
  }
}
