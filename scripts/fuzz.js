import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Sends the receiver requests that may be anything, and holds it to its answers: 2xx or 4xx, never 5xx.

  npm run fuzz -- [--runs N]

  --runs N   how many requests of each kind (default 20000)
  --help     this text
`;

/** @returns {{ runs: number } | { problem: string } | { help: true }} */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: { runs: { type: 'string', default: '20000' }, help: { type: 'boolean', default: false } },
    });
    if (values.help) return { help: true };
    if (!/^[1-9]\d{0,8}$/.test(values.runs)) {
      return { problem: `--runs must be a whole number from 1 to 999999999, not "${values.runs}".` };
    }
    return { runs: Number(values.runs) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs the test that is also part of the suite, with more runs.
 *
 * @param {number} runs
 * @returns {number} the exit code
 */
function fuzz(runs) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', 'test/receiver/fuzz.test.ts', '--typecheck.enabled=false'],
    {
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, FUZZ_RUNS: String(runs) },
      stdio: 'inherit',
    },
  );
  return status ?? 1;
}

const given = readArguments();
if ('help' in given) process.stdout.write(HELP);
else if ('problem' in given) {
  process.stderr.write(`${given.problem}\n\n${HELP}`);
  process.exitCode = 2;
} else process.exitCode = fuzz(given.runs);
