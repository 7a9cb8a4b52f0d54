import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Kills receivers at random moments while the simulator sends them events, and judges what became of those.

  npm run test:crash -- [--kills N] [--engine sqlite|postgres]

  --kills N       how many kills (default 40)
  --engine NAME   what the receivers store in (default sqlite)
  --help          this text
`;

const ENGINES = ['sqlite', 'postgres'];

/** @returns {{ kills: string, engine: string } | { problem: string } | { help: true }} */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        kills: { type: 'string', default: '40' },
        engine: { type: 'string', default: 'sqlite' },
        help: { type: 'boolean', default: false },
      },
    });
    const { kills, engine, help } = values;
    if (help) return { help: true };
    if (!/^[1-9]\d{0,5}$/.test(kills)) {
      return { problem: `--kills must be a whole number from 1 to 999999, not "${kills}".` };
    }
    if (!ENGINES.includes(engine)) {
      return { problem: `--engine must be one of ${ENGINES.join(', ')}, not "${engine}".` };
    }
    return { kills, engine };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs the test that is also part of the suite, with more kills and more traffic.
 *
 * @param {{ kills: string, engine: string }} how
 * @returns {number} the exit code
 */
function crash({ kills, engine }) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      'test/delivery/crash.test.ts',
      '--typecheck.enabled=false',
      '--disable-console-intercept',
    ],
    {
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, CRASH_KILLS: kills, CRASH_ENGINE: engine },
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
} else process.exitCode = crash(given);
