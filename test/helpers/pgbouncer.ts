import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.js';
import { describeWith } from './requirement.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);

export const describeWithPgBouncer = describeWith({
  name: 'pgbouncer',
  found: PROGRAM !== undefined,
  leavesOut: 'PostgreSQL behind PgBouncer',
  howToGet: 'apt-get install pgbouncer',
});

/**
 * Starts PgBouncer in front of a server, with connections that are shared between transactions, until the test ends.
 * Resolves to its connection string. After a restart of the server it connects again within a second, not 15.
 */
export async function startPgBouncer(server: string): Promise<string> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(server);
  const database = pathname.slice(1);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-pgbouncer-'));
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${hostname} port=${serverPort} dbname=${database} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
server_login_retry = 1
`,
  );
  // PgBouncer does not run as root.
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn(PROGRAM ?? 'pgbouncer', ['-q', ...user, join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const connectionString = `postgres://${username}:${password}@127.0.0.1:${port}/${database}`;
  while (!(await answers(connectionString))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return connectionString;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
