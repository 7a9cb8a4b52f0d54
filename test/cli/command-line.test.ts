import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTING_KEYS, SETTINGS } from '../../src/standalone/index.js';
import { runNode } from '../standalone/program.js';

const MAIN = 'dist/cli/main.js';
const packageFile = new URL('../../package.json', import.meta.url);

async function outcome(...args: string[]) {
  const program = runNode([MAIN, ...args], { FORCE_COLOR: '1' });
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

describe('the command line', () => {
  it('shows the version of the package', async () => {
    const { version }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));
    expect(await outcome('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('explains how to start', async () => {
    const { code, stdout } = await outcome('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('handoff-kit serve --dev');
    expect(stdout).toMatch(/^ {2}serve /m);
  });

  it.each([
    ['serve', '--help'],
    ['help', 'serve'],
  ])('explains every setting of serve: %s %s', async (...args) => {
    const { code, stdout } = await outcome(...args);
    expect(code).toBe(0);
    for (const key of SETTING_KEYS) {
      const { flag, env } = SETTINGS[key];
      expect(stdout).toContain(flag);
      expect(stdout).toContain(`[${env}]`);
    }
    expect(stdout).toMatch(/Examples:.*\$ handoff-kit serve --config handoff\.json/s);
    expect(stdout).toContain('Exit codes:');
  });

  it.each([
    [['serv'], "unknown command 'serv'\n(Did you mean serve?)"],
    [['serve', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['serve', '--port'], "option '--port <number>' argument missing"],
    [['serve', 'more'], 'too many arguments'],
    [['--nonsense'], "unknown option '--nonsense'"],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stdout, stderr } = await outcome(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
    expect(stderr).toContain('handoff-kit --help');
  });

  it('shows its help and exits with 2 without a command', async () => {
    const { code, stdout, stderr } = await outcome();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: handoff-kit');
  });
});
