import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * A test that is also part of the suite, and can be run for longer by hand.
 *
 * @typedef {object} LongerTest
 * @property {string} help
 * @property {string} file the test, from the project's folder
 * @property {Readonly<Record<string, Flag>>} flags
 *
 * @typedef {object} Flag
 * @property {string} standard the value unless told otherwise
 * @property {RegExp} pattern
 * @property {string} must what a value must be, in words
 * @property {string} env what the test reads it from
 */

/** @typedef {{ env: Record<string, string> } | { problem: string } | { help: true }} Given */

/** @returns {Given} */
function readArguments(/** @type {LongerTest['flags']} */ flags) {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        ...Object.fromEntries(
          Object.entries(flags).map(([name, { standard }]) => [
            name,
            { type: /** @type {const} */ ('string'), default: standard },
          ]),
        ),
      },
    });
    if (values.help) return { help: true };
    /** @type {Record<string, unknown>} */
    const told = values;
    /** @type {Record<string, string>} */
    const env = {};
    for (const [name, flag] of Object.entries(flags)) {
      const value = String(told[name]);
      if (!flag.pattern.test(value)) return { problem: `--${name} must be ${flag.must}, not "${value}".` };
      env[flag.env] = value;
    }
    return { env };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs a test of the suite as the command line says, with its output as it comes. Sets the exit code.
 *
 * @param {LongerTest} test
 */
export function runLonger({ help, file, flags }) {
  const given = readArguments(flags);
  if ('help' in given) {
    process.stdout.write(help);
    return;
  }
  if ('problem' in given) {
    process.stderr.write(`${given.problem}\n\n${help}`);
    process.exitCode = 2;
    return;
  }
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', file, '--typecheck.enabled=false', '--disable-console-intercept'],
    {
      cwd: dirname(dirname(import.meta.dirname)),
      env: { ...process.env, ...given.env },
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
