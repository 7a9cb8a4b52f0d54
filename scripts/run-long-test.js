import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * A test of the suite that can be run for longer by hand.
 *
 * @typedef {object} LongTest
 * @property {string} help
 * @property {string} file the test, relative to the project's folder
 * @property {Readonly<Record<string, Flag>>} flags
 *
 * @typedef {object} Flag
 * @property {string} defaultValue
 * @property {RegExp} pattern
 * @property {string} expected what a value must be, in words
 * @property {string} env the environment variable in which the test gets the value
 */

/** @typedef {{ env: Record<string, string> } | { problem: string } | { help: true }} ParsedArguments */

/** @returns {ParsedArguments} */
function parseArguments(/** @type {LongTest['flags']} */ flags) {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        ...Object.fromEntries(
          Object.entries(flags).map(([name, { defaultValue }]) => [
            name,
            { type: /** @type {const} */ ('string'), default: defaultValue },
          ]),
        ),
      },
    });
    if (values.help) return { help: true };
    /** @type {Record<string, unknown>} */
    const given = values;
    /** @type {Record<string, string>} */
    const env = {};
    for (const [name, flag] of Object.entries(flags)) {
      const value = String(given[name]);
      if (!flag.pattern.test(value))
        return { problem: `--${name} must be ${flag.expected}, not "${value}".` };
      env[flag.env] = value;
    }
    return { env };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs a test of the suite with the flags of the command line, and sets the exit code.
 *
 * @param {LongTest} test
 */
export function runLongTest({ help, file, flags }) {
  const given = parseArguments(flags);
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
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, ...given.env },
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
