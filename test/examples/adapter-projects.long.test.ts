import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceChecks } from '../../src/testing/index.js';
import { temporaryFolder } from '../standalone/databases.js';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist/cli/main.js');

/** Runs a program without the environment variables of this test run. */
function run(cwd: string, args: readonly string[]): string {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST$)/.test(name));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), NO_COLOR: '1' },
  });
  const output = `${stdout}\n${stderr}`;
  expect(status, output).toBe(0);
  return output;
}

/** Writes a project with an adapter, and links the packages that it needs. */
function init(language: string, adapter: string): string {
  const parent = temporaryFolder();
  run(parent, [CLI, 'init', 'project', '--adapter', adapter, '--language', language]);
  const project = join(parent, 'project');
  // Only failures wait that long; a busy machine may need more than the default.
  const harness = join(project, `test/harness.${language}`);
  const patient = "name: 'Tiny Desk',\n  stepTimeoutMs: 60_000,";
  writeFileSync(harness, readFileSync(harness, 'utf8').replace("name: 'Tiny Desk',", patient));
  const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  for (const name of Object.keys(devDependencies)) {
    const link = join(project, 'node_modules', name);
    mkdirSync(resolve(link, '..'), { recursive: true });
    symlinkSync(name === 'handoff-kit' ? ROOT : join(ROOT, 'node_modules', name), link);
  }
  return project;
}

/** Checks that do not apply to an adapter without catchUp and undelivered. */
const NOT_OF_MINIMAL = 9;

describe('the projects of init --adapter', { timeout: 600_000 }, () => {
  it.each([
    { language: 'ts', adapter: 'minimal' },
    { language: 'js', adapter: 'minimal' },
    { language: 'ts', adapter: 'full' },
    { language: 'js', adapter: 'full' },
  ])(
    'pass their own tests, their compiler and adapter check: $language, $adapter',
    ({ language, adapter }) => {
      const project = init(language, adapter);
      if (language === 'ts') run(project, ['node_modules/typescript/bin/tsc']);
      const output = run(project, ['node_modules/vitest/vitest.mjs', 'run']);
      const skipped = adapter === 'full' ? 0 : NOT_OF_MINIMAL;
      const passed = conformanceChecks.length - skipped;
      expect(output).toMatch(
        new RegExp(`Tests +${passed} passed${skipped ? ` \\| ${skipped} skipped` : ''} `),
      );
      const harness = language === 'ts' ? 'dist/test/harness.js' : 'test/harness.js';
      expect(run(project, [CLI, 'adapter', 'check', harness, '--only', 'open'])).toContain(
        '1 passed, 0 failed, 0 skipped',
      );
      run(project, ['node_modules/oxlint/bin/oxlint', '--deny-warnings', 'src', 'test']);
    },
  );

  it('have a small adapter, and a full one', () => {
    const linesOf = (name: string): number =>
      readFileSync(join(ROOT, `examples/custom-adapter/${name}.ts`), 'utf8')
        .trimEnd()
        .split('\n').length;
    expect(linesOf('minimal')).toBeLessThanOrEqual(85);
    expect(linesOf('adapter')).toBeLessThan(250);
  });
});
