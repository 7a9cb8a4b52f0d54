import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const JEST = 'examples/testing/jest';
const hasJest = existsSync(resolve(ROOT, JEST, 'node_modules/jest/package.json'));
const needsJest = (process.env.HANDOFF_KIT_REQUIRE ?? '').split(/[\s,]+/).includes('jest');

if (!hasJest && !needsJest) console.log(`skipped: the Jest example. To run it: npm --prefix ${JEST} ci`);

/** Runs an example as its header says, without the environment variables of this test run. */
function run(args: readonly string[], cwd = ROOT) {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|JEST_|TEST$)/.test(name));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), NO_COLOR: '1' },
    timeout: 60_000,
  });
  return { status, output: `${stdout}\n${stderr}` };
}

describe('examples/testing', { timeout: 90_000 }, () => {
  it('runs with node:test', () => {
    const { status, output } = run(['--test', '--test-reporter=tap', 'examples/testing/node-test.test.js']);
    expect(output).toMatch(/^# pass 2$/m);
    expect(status).toBe(0);
  });

  it('runs with vitest', () => {
    const { status, output } = run(['node_modules/vitest/vitest.mjs', 'run', '--root', 'examples/testing']);
    expect(output).toMatch(/Tests +2 passed \(2\)/);
    expect(status).toBe(0);
  });

  it.runIf(hasJest || needsJest)('runs with Jest', () => {
    expect(hasJest, `Jest is missing. Run: npm --prefix ${JEST} ci`).toBe(true);
    const cwd = resolve(ROOT, JEST);
    const { status, output } = run(['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'], cwd);
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(status).toBe(0);
  });
});
