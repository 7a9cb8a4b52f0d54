import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSqlite } from './bare-sqlite.js';

/**
 * Compiles the library that makes every sync slow.
 *
 * @param {string} folder where to put it
 * @returns {{ library: string } | { why: string }} where it is, or why it cannot be made here
 */
export function buildSlowDisk(folder) {
  if (process.platform !== 'linux') return { why: 'a slow disk is made with LD_PRELOAD, on Linux only' };
  const library = join(folder, 'slow-sync.so');
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url));
  const { status, error, stderr } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) return { why: `no C compiler made it: ${error?.message ?? stderr}` };
  const ms = commitMs(library, folder);
  if (ms < 4) return { why: `it has no effect on SQLite here: a commit took ${ms.toFixed(1)} ms` };
  return { library };
}

/** How long a commit takes with the library: it must be seen to work. */
function commitMs(/** @type {string} */ library, /** @type {string} */ folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), join(folder, 'slow-check.db')],
    { encoding: 'utf8', env: { ...process.env, LD_PRELOAD: library } },
  );
  if (status !== 0) throw new Error(`the check of the slow disk failed: ${stderr}`);
  return Number(stdout);
}

const [, self, file] = process.argv;
if (self === fileURLToPath(import.meta.url) && file) {
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a)');
  const began = performance.now();
  for (let count = 0; count < 20; count += 1) database.exec('INSERT INTO t VALUES (1)');
  process.stdout.write(String((performance.now() - began) / 20));
}
