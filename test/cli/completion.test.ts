import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../helpers/requirement.js';
import { temporaryFolder } from '../standalone/databases.js';
import { runCli } from './run-cli.js';

const scripts: Record<string, string> = {};
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = stdout;
  }
});

/** Command lines with the cursor at their end, and words that are offered there, or not. */
const CASES: [line: string, offered: string[], notOffered: string[]][] = [
  ['', ['serve', 'inbox', 'init', 'completion', '--version'], ['list', '--port']],
  ['ser', ['serve'], ['send']],
  ['serve --han', ['--handoff-auth', '--handoff-token'], ['--host', '--port']],
  ['serve --port 1 --wat', ['--watch'], []],
  ['inbox ', ['list', 'show', 'retry'], ['serve']],
  ['inbox list --de', ['--dead'], []],
  ['doctor --only ', ['message', 'handoff'], ['--url', '--only']],
  ['doctor --', ['--receiver-url'], ['--url', '--token']],
  ['init --host ', ['express', 'fastify', 'hono', 'next'], ['sqlite']],
];

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr, status } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

const expectOffered = (words: readonly string[], offered: string[], notOffered: string[]): void => {
  expect(words).toEqual(expect.arrayContaining(offered));
  for (const word of notOffered) expect(words).not.toContain(word);
};

const shellNamed = (name: string) => ({
  name,
  found: spawnSync(name, ['-c', 'true']).status === 0,
  leavesOut: `completion in ${name}`,
  howToGet: `apt-get install ${name}`,
});

describeWith(shellNamed('bash'))('completion in bash', () => {
  it.each(CASES)('of "handoff-kit %s"', (line, offered, notOffered) => {
    const script = `${scripts.bash}
      COMP_WORDS=(handoff-kit ${line}${line === '' || line.endsWith(' ') ? " ''" : ''})
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      $(complete -p handoff-kit | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    expectOffered(run('bash', ['-c', script]).trim().split('\n'), offered, notOffered);
  });
});

describeWith(shellNamed('zsh'))('completion in zsh', () => {
  it('is a script that zsh reads', () => {
    const file = join(temporaryFolder(), '_handoff-kit');
    writeFileSync(file, scripts.zsh ?? '');
    run('zsh', ['-n', file]);
  });

  it.each(CASES)('of "handoff-kit %s"', (line, offered, notOffered) => {
    // The functions of the line editor, replaced by ones that print what they are given.
    const script = `
      compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { :; }
      _describe() { for entry in "\${(@P)2}"; do print -r -- "\${entry%%:*}"; done; }
      ${scripts.zsh}
      words=(handoff-kit ${line}${line === '' || line.endsWith(' ') ? " ''" : ''}); CURRENT=\${#words}
      _handoff_kit`;
    const prefix = line.split(' ').at(-1) ?? '';
    const words = run('zsh', ['-c', script]).trim().split('\n');
    expectOffered(
      words.filter((word) => word.startsWith(prefix)),
      offered,
      notOffered,
    );
  });
});

describeWith(shellNamed('fish'))('completion in fish', () => {
  it.each(CASES)('of "handoff-kit %s"', (line, offered, notOffered) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    // fish completes only programs that exist.
    symlinkSync(process.execPath, join(folder, 'bin/handoff-kit'));
    chmodSync(folder, 0o700);
    writeFileSync(join(folder, 'script.fish'), scripts.fish ?? '');
    const command = `source ${folder}/script.fish; complete -C 'handoff-kit ${line}'`;
    const env = { HOME: folder, PATH: `${folder}/bin:${process.env.PATH}` };
    const words = run('fish', ['--no-config', '-c', command], env).trim().split('\n');
    expectOffered(
      words.map((word) => word.split('\t', 1)[0] ?? ''),
      offered,
      notOffered,
    );
  });
});

describe('completion', () => {
  it('of another shell is refused with the ones that exist', async () => {
    const { code, stderr } = await runCli(['completion', 'csh']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
