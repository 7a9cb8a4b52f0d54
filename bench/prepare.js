import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const isThere = (/** @type {string} */ path) => existsSync(new URL(path, import.meta.url));

/**
 * Sees to it that what the contenders load is there: installs the peers, and says how to build the project.
 *
 * @param {readonly import('./contenders/index.js').Contender[]} selected
 */
export function prepare(selected) {
  const built = isThere('../dist/index.js') && isThere('../dist/protocol/index.js');
  if (!isThere('../node_modules/express') || (!built && selected.some(({ needsDist }) => needsDist))) {
    throw new Error('the project is not built: run npm ci in the project root first');
  }
  // npm writes this file last, so an install that broke off is made anew.
  if (isThere('node_modules/.package-lock.json')) return;
  console.log('Installing the peers (npm ci in bench/) ...');
  const { status, error } = spawnSync('npm', ['ci', '--prefix', here], {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in bench/ failed${error ? `: ${error.message}` : ''}`);
}
