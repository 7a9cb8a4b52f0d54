import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const exists = (/** @type {string} */ path) => existsSync(new URL(path, import.meta.url));

/**
 * Installs the peers if they are missing. Throws if the project is not built.
 *
 * @param {readonly { readonly needsDist?: boolean }[]} selected contenders
 */
export function prepare(selected) {
  const built = exists('../dist/public/index.js') && exists('../dist/protocol/index.js');
  if (!exists('../node_modules/express') || (!built && selected.some(({ needsDist }) => needsDist))) {
    throw new Error('the project is not built: run npm ci in the project root first');
  }
  // npm writes .package-lock.json last, so an interrupted installation is repeated, as is one from before a new peer.
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const needed = ['.package-lock.json', ...Object.keys(dependencies)];
  if (needed.every((name) => exists(`node_modules/${name}`))) return;
  console.log('Installing the peers (npm ci in bench/) ...');
  const { status, error } = spawnSync('npm', ['ci', '--prefix', here], {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in bench/ failed${error ? `: ${error.message}` : ''}`);
}
