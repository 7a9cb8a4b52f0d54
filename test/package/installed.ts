import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

export const ROOT = resolve(import.meta.dirname, '../..');

const { devDependencies }: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

/** A package with the version that this project uses. */
export const asHere = (name: string): string => `${name}@${devDependencies[name]}`;

/** Runs a program without the variables of this test run, and gives its output. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|JEST_|TEST$|npm_)/.test(name));
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), NO_COLOR: '1' },
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed (${status}): ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** A folder with the packed package, until the test ends, and the name of its file. */
export function packedFolder(): { readonly folder: string; readonly tarball: string } {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
  const [tarball = ''] = readdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  );
  return { folder, tarball: `./${tarball}` };
}
