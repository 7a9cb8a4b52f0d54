import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../helpers/requirement.js';
import { runCli } from './run-cli.js';

/** Completion in the shells themselves: each installs the script as the help says, and completes with its own editor. */

/** Command lines with the cursor at their end, and words that are offered there, or not. */
const CASES: readonly (readonly [line: string, offered: string[], notOffered: string[]])[] = [
  ['', ['serve', 'inbox', 'init', 'completion', 'help'], ['list', '--port']],
  ['--v', ['--version'], ['serve']],
  ['ser', ['serve'], ['send']],
  ['help inb', ['inbox'], ['init']],
  ['serve --han', ['--handoff-auth', '--handoff-token'], ['--host', '--port']],
  ['serve --port 1 --wat', ['--watch'], []],
  ['inbox ', ['list', 'show', 'retry'], ['serve']],
  ['inbox list --de', ['--dead'], []],
  ['doctor --only ', ['message', 'handoff'], ['--receiver-url', '--only']],
  ['doctor --', ['--receiver-url'], ['--url', '--token']],
  ['init --host ', ['express', 'fastify', 'hono', 'next'], ['sqlite']],
  ['init --delivery po', ['postgres'], ['sqlite']],
  ['init --host=f', ['--host=fastify'], ['--host=hono']],
  ['completion ', ['bash', 'zsh', 'fish'], ['serve']],
  ['desk set-role ann ', ['supervisor', 'administrator'], ['ann']],
  ['backup my-f', ['my-file.db'], []],
  ['serve --config my-', ['my-file.db'], ['my-receiver']],
];

const SEPARATOR = '---';
/** A program that prints the words of its command line. */
const PRINT_WORDS = `handoff-kit() { printf '%s\\n' "$@" '${SEPARATOR}' >> words; }`;
/** A key that inserts every completion into the line; the shells have none for it by default. */
const INSERT_ALL = '\x14';

/** The completions, made of the words that the command line has with them: those after the words that were typed. */
function completionsIn(folder: string, lines: readonly string[]): string[][] {
  const parts = readFileSync(join(folder, 'words'), 'utf8').split(`${SEPARATOR}\n`).slice(0, -1);
  return parts.map((part, index) =>
    part
      .trim()
      .split('\n')
      .slice((lines[index] ?? '').split(' ').length - 1),
  );
}

interface Shell {
  /** Where the help puts the script, in the home folder. */
  readonly script: string;
  readonly complete: (home: string, lines: readonly string[]) => string[][];
}

function run(command: string, args: readonly string[], home: string, input = ''): string {
  const env = { HOME: home, PATH: `${home}/bin:${process.env.PATH}`, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', env, cwd: home, input });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    script: '.handoff-kit.bash',
    complete: (home, lines) => {
      writeFileSync(
        join(home, '.bashrc'),
        `source ~/.handoff-kit.bash\n${PRINT_WORDS}\nbind '"\\C-t": insert-completions'\n`,
      );
      const typed = lines.map((line) => `handoff-kit ${line}${INSERT_ALL}\n`);
      run('bash', ['-i'], home, typed.join(''));
      return completionsIn(home, lines);
    },
  },
  zsh: {
    script: '.zfunc/_handoff-kit',
    complete: (home, lines) => {
      writeFileSync(
        join(home, '.zshrc'),
        `fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u
        ${PRINT_WORDS}
        all-completions() { _main_complete; compstate[insert]=all }
        zle -C all-completions complete-word all-completions; bindkey '^T' all-completions`,
      );
      // Its editor needs a terminal. The one of zpty is read until the shell ends.
      const typed = lines.map((line) => `zpty -w shell 'handoff-kit ${line}${INSERT_ALL}'`);
      const script = `zmodload zsh/zpty; zpty shell zsh --no-global-rcs -i; ${typed.join('; ')}; zpty -w shell exit
        while zpty -r shell output; do :; done`;
      run('zsh', ['-f', '-c', script], home);
      return completionsIn(home, lines);
    },
  },
  fish: {
    script: '.config/fish/completions/handoff-kit.fish',
    complete: (home, lines) => {
      // fish completes only programs that exist.
      mkdirSync(join(home, 'bin'));
      symlinkSync(process.execPath, join(home, 'bin/handoff-kit'));
      const commands = lines.map((line) => `complete -C 'handoff-kit ${line}'; echo '${SEPARATOR}'`);
      const parts = run('fish', ['-c', commands.join('; ')], home).split(`${SEPARATOR}\n`);
      return parts.map((part) => part.split('\n').map((word) => word.split('\t', 1)[0] ?? ''));
    },
  },
};

describe.each(Object.entries(SHELLS))('completion in %s', (name, { script, complete }) => {
  const requirement = {
    name,
    found: spawnSync(name, ['-c', 'true']).status === 0,
    leavesOut: `completion in ${name}`,
    howToGet: `apt-get install ${name}`,
  };
  describeWith(requirement)('as its help installs it', () => {
    const home = mkdtempSync(join(tmpdir(), 'handoff-kit-home-'));
    let completions: string[][] = [];
    beforeAll(async () => {
      const { code, stdout } = await runCli(['completion', name]);
      expect(code).toBe(0);
      mkdirSync(join(home, script, '..'), { recursive: true });
      writeFileSync(join(home, script), stdout);
      writeFileSync(join(home, 'my-file.db'), '');
      const lines = CASES.map(([line]) => line);
      completions = complete(home, lines);
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    it.each(CASES.map((each, index) => [...each, index] as const))(
      'completes "handoff-kit %s"',
      (_line, offered, notOffered, index) => {
        expect(completions[index]).toEqual(expect.arrayContaining(offered));
        for (const word of notOffered) expect(completions[index]).not.toContain(word);
      },
    );
  });
});

describe('completion', () => {
  it('is explained with the files that the tests above install', async () => {
    const { stdout } = await runCli(['completion', '--help']);
    for (const [name, { script }] of Object.entries(SHELLS))
      expect(stdout).toContain(`handoff-kit completion ${name} > ~/${script}`);
  });

  it('of another shell is refused with the ones that exist', async () => {
    const { code, stderr } = await runCli(['completion', 'csh']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
