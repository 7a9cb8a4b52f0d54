import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSqlite } from './bare-sqlite.js';

/**
 * Compiles the library that delays every sync, and checks that SQLite is affected.
 *
 * @param {string} folder for the compiled library
 * @returns {{ library: string } | { reason: string }} its path, or the reason why this machine cannot have it
 */
export function buildSlowDisk(folder) {
  if (process.platform !== 'linux') return { reason: 'LD_PRELOAD works on Linux only' };
  const library = join(folder, 'slow-sync.so');
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url));
  const { status, error, stderr } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) return { reason: `the C compiler failed: ${error?.message ?? stderr}` };
  const ms = commitMs(library, folder);
  if (ms < 4)
    return { reason: `the library has no effect on SQLite here: a commit took ${ms.toFixed(1)} ms` };
  return { library };
}

/** Measures a commit with the library loaded, in milliseconds. */
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
  const startedAt = performance.now();
  for (let count = 0; count < 20; count += 1) database.exec('INSERT INTO t VALUES (1)');
  process.stdout.write(String((performance.now() - startedAt) / 20));
}
