import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} LiveSystem
 * @property {string} name of the system, for messages
 * @property {string} help
 * @property {readonly string[]} programs that must be there
 * @property {readonly string[]} packages of Debian that have them
 * @property {string} requirement the name in `HANDOFF_KIT_REQUIRE`
 * @property {string} folder of the tests
 */

const APT = '/usr/bin/apt-get';

/** @returns {{ installOnly: boolean, files: string[] } | { problem: string } | { help: true }} */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'install-only': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { help: true };
    return { installOnly: values['install-only'], files: positionals };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Installs a system unless it is there.
 *
 * @param {LiveSystem} system
 * @returns {string | null} what is in the way
 */
function install({ name, programs, packages }) {
  const missing = () => programs.filter((file) => !existsSync(file));
  if (missing().length === 0) return null;
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!existsSync(APT)) {
    return `${name} comes from the packages of Debian 12 or later, and this is not Debian: use a container of debian:12.`;
  }
  if (process.getuid?.() !== 0) return `${name} is missing. Install it as root: ${command}`;
  process.stdout.write(`Installing ${packages.join(', ')} and what they need.\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]) {
    const { status } = spawnSync(APT, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) return `apt-get ${args[0]} failed, see above.`;
  }
  return missing().length === 0
    ? null
    : `The packages were installed, but ${missing().join(' and ')} is not there.`;
}

/**
 * Runs the tests of an adapter, those against the real system and the others.
 *
 * @param {LiveSystem} system
 * @param {string[]} files
 * @returns {number} the exit code
 */
function test({ requirement, folder }, files) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const required = [process.env.HANDOFF_KIT_REQUIRE, requirement].filter(Boolean).join(',');
  const chosen = files.length > 0 ? files.map((file) => `${folder}/${file}`) : [folder];
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...chosen, '--typecheck.enabled=false', '--reporter=verbose'],
    {
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, HANDOFF_KIT_REQUIRE: required },
      stdio: 'inherit',
    },
  );
  return status ?? 1;
}

/**
 * Runs the command: installs the system if it is missing, then runs the tests against it.
 *
 * @param {LiveSystem} system
 */
export function runLiveTests(system) {
  const given = readArguments();
  if ('help' in given) {
    process.stdout.write(system.help);
    return;
  }
  if ('problem' in given) {
    process.stderr.write(`${given.problem}\n\n${system.help}`);
    process.exitCode = 2;
    return;
  }
  const problem = install(system);
  if (problem) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  } else if (!given.installOnly) process.exitCode = test(system, given.files);
}
