import { Argument, type Command, Command as CommandClass, type Option } from 'commander';
import { EXIT, runCommand } from '../output.js';

const MORE_HELP = `
Examples:
  bash reads the file with source, in ~/.bashrc; zsh looks into the folders of fpath, fish into its own:
    $ handoff-kit completion bash > ~/.handoff-kit.bash
    $ handoff-kit completion zsh > ~/.zfunc/_handoff-kit
    $ handoff-kit completion fish > ~/.config/fish/completions/handoff-kit.fish`;

/** A command that can be completed. */
interface LoadableCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: (command: Command) => void }>;
}

/** `completion`: a script that completes commands and flags in a shell. */
export function define(command: Command, commands: readonly LoadableCommand[]): void {
  command
    .description('Prints a script that completes commands, flags and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', MORE_HELP)
    .action((shell: keyof typeof SCRIPTS) =>
      runCommand({}, async () => {
        process.stdout.write(SCRIPTS[shell](await describeCommands(commands)));
        return EXIT.ok;
      }),
    );
}

/** A flag as completion shows it. */
interface CompletedFlag {
  readonly name: string;
  readonly help: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** The values to choose from; without any, files are completed. */
  readonly values: readonly string[];
}

/** A command, a subcommand, or the program itself. */
interface CompletedCommand {
  /** Its words: `inbox list`; empty for the program. */
  readonly path: string;
  /** Its subcommands, and the values of its arguments. */
  readonly words: readonly { readonly name: string; readonly help: string }[];
  readonly flags: readonly CompletedFlag[];
}

/** Loads every command: the script knows all of them and needs no process to complete. */
async function describeCommands(commands: readonly LoadableCommand[]): Promise<CompletedCommand[]> {
  const program = new CommandClass('handoff-kit');
  for (const { name, summary, load } of commands) {
    const command = program.command(name).summary(summary);
    (await load()).define(command);
  }
  const [whole, ...others] = describe(program, '');
  if (!whole) return [];
  const help = { name: 'help', help: 'show the help of a command' };
  return [
    { ...whole, words: [...whole.words, help] },
    ...others,
    { path: 'help', words: whole.words, flags: [] },
  ];
}

function describe(command: Command, path: string): CompletedCommand[] {
  const words = [
    ...command.commands.map((each) => ({ name: each.name(), help: each.summary() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, help: description })),
    ),
  ];
  const flags = command.options.filter(({ hidden, long }) => !hidden && long).map(describeFlag);
  const common = ['--help', '--version'].map((name) =>
    describeWord(name, `show the ${name === '--help' ? 'help' : 'version'}`),
  );
  const below = command.commands.flatMap((each) => describe(each, `${path} ${each.name()}`.trim()));
  return [{ path, words, flags: [...flags, ...common] }, ...below];
}

const describeWord = (name: string, help: string): CompletedFlag => ({
  name,
  help,
  takesValue: false,
  values: [],
});

const describeFlag = ({ long, description, required, argChoices }: Option): CompletedFlag => ({
  name: long ?? '',
  help: description,
  takesValue: required,
  values: argChoices ?? [],
});

/** Single quotes, which mean the same in all three shells for texts without quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", '’')}'`;

type WriteScript = (commands: readonly CompletedCommand[]) => string;

const SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', WriteScript>> = {
  // Readline splits --flag=value into three words.
  bash: (commands) => `# handoff-kit completion for bash
_handoff_kit() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words='' values=''
  if [ "$current" = '=' ]; then current=''; fi
  if [ "$previous" = '=' ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      ${quote(path)}) path=${quote(path)} ;;\n`)
  .join('')}    esac
  done
  COMPREPLY=()
  case "$path:$previous" in
${commands
  .flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ name, values }) => `    ${quote(`${path}:${name}`)}) values=${quote(values.join(' '))} ;;\n`),
  )
  .join('')}    *) values='-' ;;
  esac
  if [ "$values" != '-' ]; then
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$current")); fi
    return
  fi
  case "$path" in
${commands
  .map(({ path, words, flags }) => {
    const names = [...words, ...flags].map(({ name }) => name);
    return `    ${quote(path)}) words=${quote(names.join(' '))} ;;\n`;
  })
  .join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _handoff_kit handoff-kit
`,
  // zsh loads the function from a file of its name at the first completion, and then calls it once by the file itself.
  zsh: (commands) => `#compdef handoff-kit
# handoff-kit completion for zsh
_handoff-kit() {
  local word path_='' previous="\${words[CURRENT-1]}"
  local -a found
  if compset -P '--*='; then previous="\${IPREFIX%=}"; fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      ${quote(path)}) path_=${quote(path)} ;;\n`)
  .join('')}    esac
  done
  case "$path_:$previous" in
${commands
  .flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ name, values }) =>
          `    ${quote(`${path}:${name}`)}) ${values.length > 0 ? `compadd -- ${values.map(quote).join(' ')}` : '_files'}; return ;;\n`,
      ),
  )
  .join('')}  esac
  case "$path_" in
${commands
  .map(
    ({ path, words, flags }) =>
      `    ${quote(path)}) found=(${[...words, ...flags].map(({ name, help }) => quote(`${name}:${help}`)).join(' ')}) ;;\n`,
  )
  .join('')}  esac
  _describe 'handoff-kit' found || _files
}
if [ "\${funcstack[1]}" = '_handoff-kit' ]; then _handoff-kit "$@"; else compdef _handoff-kit handoff-kit; fi
`,
  fish: (commands) => `# handoff-kit completion for fish
function __handoff_kit_at
  set -l known ${commands.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ')}
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    contains -- "$next" $known; and set path "$next"
  end
  test "$path" = "$argv"
end
${commands
  .flatMap(({ path, words, flags }) => {
    const at = `complete -c handoff-kit -n "__handoff_kit_at ${quote(path)}"`;
    return [
      ...words.map(({ name, help }) => `${at} -f -a ${name} -d ${quote(help)}\n`),
      ...flags.map(({ name, help, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : takesValue ? ' -r' : '';
        return `${at} -l ${name.slice(2)} -d ${quote(help)}${value}\n`;
      }),
    ];
  })
  .join('')}`,
};
