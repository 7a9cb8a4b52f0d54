import { Command, Help } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';

describe('the list of commands', () => {
  it.each(COMMANDS)('shows the arguments of $name', async ({ name, takes, load }) => {
    const command = new Command(name);
    (await load()).define(command);
    expect([name, ...(takes ? [takes] : [])].join(' ')).toBe(new Help().subcommandTerm(command));
    expect(command.description()).not.toBe('');
  });
});
