import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';
import { commandLinesIn, PAGES, read } from './pages.js';

/** Generated from the commands' help, which has its own test. */
const GENERATED = 'docs/reference/cli.md';

/** The whole program, with every command loaded. */
async function wholeProgram(): Promise<Command> {
  const program = new Command('handoff-kit');
  for (const { name, load } of COMMANDS) (await load()).define(program.command(name));
  return program;
}
const program = await wholeProgram();

/** A command and its subcommands. */
const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)];
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** A command's help, with its additions. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** The problem with a command line: an unknown command or flag, or an argument too many. */
function problemsOf(line: string): string[] {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  if (words[0] === 'help') words.shift();
  let command = program;
  const findNext = (): Command | undefined => command.commands.find((each) => each.name() === words[0]);
  for (let next = findNext(); next; next = findNext()) {
    command = next;
    words.shift();
  }
  if (command === program) return [`no such command: ${line}`];
  return flagProblems(command, words).map((problem) => `${problem}: ${line}`);
}

function flagProblems({ options, commands, registeredArguments: known }: Command, words: string[]): string[] {
  const positional: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const option = options.find(({ long, short, hidden }) => !hidden && (word === long || word === short));
    // The value of a flag may be optional.
    if (option?.required || (option?.optional && /^[^-]/.test(words[0] ?? ''))) words.shift();
    else if (!option && !['--help', '--version'].includes(word)) positional.push(word);
  }
  const flag = positional.find((word) => /^-./.test(word));
  if (flag) return [`no such flag as ${flag}`];
  const isOpen = known.some(({ variadic }) => variadic);
  if (positional.length <= known.length || isOpen) return [];
  return [commands.length > 0 ? 'no such command' : 'an argument too many'];
}

describe('command lines', () => {
  it.each(PAGES.filter((path) => path !== GENERATED))('in %s exist', (path) => {
    expect(commandLinesIn(read(path)).flatMap(problemsOf)).toEqual([]);
  });

  it.each(allOf(program).map((command) => [pathOf(command), command] as const))(
    'in the help of %s exist',
    (_path, command) => {
      const examples = commandLinesIn(helpOf(command).replace(/^Usage:.*$/m, ''));
      expect(examples.flatMap(problemsOf)).toEqual([]);
    },
  );

  it('are found, and their mistakes reported', () => {
    const text = [
      '`handoff-kit forget jane`, `handoff-kit inbox list --dead`, `handoff-kit inbox lst`',
      '  $ X=1 handoff-kit knowledge add --pair "a b=c" --pears d     a remark',
      'cat it | handoff-kit reply --conversation c -',
      'handoff-kit simulated nothing',
    ].join('\n');
    expect(commandLinesIn(text)).toHaveLength(6);
    expect(commandLinesIn(text).flatMap(problemsOf)).toEqual([
      'an argument too many: forget jane',
      'no such command: inbox lst',
      'no such flag as --pears: knowledge add --pair "a b=c" --pears d',
      'no such command: simulated nothing',
    ]);
  });

  // --env-file is Node's.
  it('use existing flags, even in a flag without a command', () => {
    const flags = new Set(
      allOf(program).flatMap(({ options }) =>
        options.filter(({ hidden }) => !hidden).map(({ long }) => long),
      ),
    );
    const named = PAGES.flatMap((path) => [...read(path).matchAll(/`(--[a-z-]+)[^`\n]*`/g)]);
    expect(named.length).toBeGreaterThan(0);
    expect(
      named
        .map(([, flag = '']) => flag)
        .filter((flag) => !flags.has(flag) && !['--help', '--version', '--env-file'].includes(flag)),
    ).toEqual([]);
  });

  it('cover every command in the guide to the command line', () => {
    const guide = read('docs/command-line.md');
    const missing = COMMANDS.filter(({ name }) => !new RegExp(`\`(handoff-kit )?${name}\\b`).test(guide));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});
