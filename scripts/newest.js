import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * `npm run test:newest`: the tests of the packed package, with the newest versions of all packages that others would
 * install today. Elsewhere, these tests use the versions of the lock files.
 */
const root = dirname(import.meta.dirname);

/** Runs a program, and ends this one if it fails. */
function run(/** @type {string} */ command, /** @type {string[]} */ args, env = process.env) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

const tools = 'test/package/tools';
if (!existsSync(join(root, tools, 'node_modules'))) run('npm', ['ci', '--prefix', tools]);
run('npm', ['run', 'build']);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
run(process.execPath, [vitest, 'run', '--project=outside', 'test/package', 'test/browser/tutorial.test.ts'], {
  ...process.env,
  HANDOFF_KIT_PACKAGES: 'newest',
  HANDOFF_KIT_REQUIRE: 'package-tools',
});
