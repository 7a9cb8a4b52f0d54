import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceChecks } from '../../src/testing/index.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs the example as its header says, without the environment variables of this test run. */
function run(args: readonly string[]) {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST$)/.test(name));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), NO_COLOR: '1' },
    timeout: 110_000,
  });
  return { status, output: `${stdout}\n${stderr}` };
}

describe('examples/custom-adapter', { timeout: 120_000 }, () => {
  it('passes the conformance kit under node:test', () => {
    const test = 'examples/custom-adapter/adapter.test.js';
    const { status, output } = run(['--test', '--test-reporter=tap', test]);
    expect(output).not.toMatch(/^\s*not ok/m);
    expect(output).toMatch(new RegExp(`^# pass ${conformanceChecks.length}$`, 'm'));
    expect(status).toBe(0);
  });

  it('is an adapter in under 120 lines', () => {
    const adapter = readFileSync(resolve(ROOT, 'examples/custom-adapter/adapter.js'), 'utf8');
    expect(adapter.trimEnd().split('\n').length).toBeLessThan(120);
  });
});
