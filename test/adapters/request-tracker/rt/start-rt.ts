import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASES_FOLDER } from '../../../helpers/databases-folder.js';
import { freePort } from '../../../helpers/free-port.js';
import { describeWith } from '../../../helpers/requirement.js';
import { rtPathsIn, siteConfig } from './site-config.js';

const SERVER = '/usr/share/request-tracker5/libexec/rt-server';
const SETUP = '/usr/sbin/rt-setup-database-5';

/** `describe` for tests against a real Request Tracker. */
export const describeWithRt = describeWith({
  name: 'rt',
  found: existsSync(SERVER),
  leavesOut: `tests against Request Tracker, since there is none at ${SERVER}`,
  howToGet: 'bash .ci/install, as root on Debian',
});

/** A user of RT. */
export interface RtUser {
  readonly id: number;
  readonly login: string;
  readonly password: string;
  readonly token: string;
}

/** A private Request Tracker. */
export interface Rt {
  readonly url: string;
  readonly queue: string;
  readonly kit: RtUser;
  readonly agent: RtUser;
  /** Has no rights at all. */
  readonly stranger: RtUser;
  /** Has all rights. */
  readonly root: Pick<RtUser, 'login' | 'password'>;
  /** Starts RT, also again after `stop`, on the same port and with the same data. */
  start(): Promise<void>;
  /** Stops RT and keeps its data. */
  stop(): Promise<void>;
  /** Installs a data file as the README describes. Returns the output of RT's program. */
  install(datafile: string): string;
  /** All mails sent, raw. */
  mails(): string;
  /** RT's log. */
  log(): string;
  /** Stops RT and deletes its folder. */
  remove(): Promise<void>;
}

/** Creates and starts a Request Tracker with its own folder, database and port. */
export async function startRt(): Promise<Rt> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-rt-'));
  const databases = mkdtempSync(join(DATABASES_FOLDER, 'handoff-kit-rt-'));
  const places = rtPathsIn(folder, databases);
  const port = await freePort();
  const owner = rtOwner();
  writeFileSync(places.config, siteConfig(places, port));
  writeFileSync(places.sendmail, `#!/bin/sh\ncat >> '${places.mail}'\n`);
  chmodSync(places.sendmail, 0o755);
  for (const path of [places.configFolder, places.cache, places.sessions, places.variable]) mkdirSync(path);
  if (owner)
    for (const path of [folder, databases, ...Object.values(places)])
      if (existsSync(path)) chownSync(path, ...owner);
  const as = {
    env: { PATH: process.env.PATH, RT_SITE_CONFIG: places.config, RT_SITE_CONFIG_DIR: places.configFolder },
    ...(owner ? { uid: owner[0], gid: owner[1] } : {}),
    cwd: folder,
  };
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { ...as, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  run(SETUP, ['--action', 'init', '--skip-create']);
  const users: Pick<Rt, 'kit' | 'agent' | 'stranger' | 'root'> = JSON.parse(
    run('perl', [join(import.meta.dirname, 'seed.pl')]),
  );

  let server: ChildProcess | null = null;
  let log = '';
  const url = `http://127.0.0.1:${port}`;

  const start = async (): Promise<void> => {
    const args = ['--host', '127.0.0.1', '--port', String(port), '--max-workers', '4'];
    server = spawn(SERVER, args, { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await waitForServer(`${url}/REST/2.0/rt`, server, () => log);
  };
  const stop = async (): Promise<void> => {
    const ending = server;
    server = null;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, 'exit');
    ending.kill('SIGTERM');
    await gone;
  };

  const rt: Rt = {
    url,
    queue: 'Handoffs',
    ...users,
    start,
    stop,
    install(datafile) {
      const file = join(folder, 'handoff-kit.scrip');
      writeFileSync(file, datafile, { mode: 0o644 });
      try {
        return run(SETUP, ['--action', 'insert', '--skip-create', '--datafile', file]);
      } finally {
        rmSync(file);
      }
    },
    mails: () => (existsSync(places.mail) ? readFileSync(places.mail, 'utf8') : ''),
    log: () => log,
    async remove() {
      await stop();
      for (const each of [folder, databases]) rmSync(each, { recursive: true, force: true });
    },
  };
  try {
    await start();
    return rt;
  } catch (error) {
    await rt.remove();
    throw error;
  }
}

/** RT refuses to run as root; Debian runs it as the web server's user. Other users run it as themselves. */
function rtOwner(): [uid: number, gid: number] | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'www-data'], { encoding: 'utf8' }));
  return [id('-u'), id('-g')];
}

async function waitForServer(url: string, server: ChildProcess, log: () => string): Promise<void> {
  const deadline = AbortSignal.timeout(300_000);
  while (server.exitCode === null && server.signalCode === null) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => null,
    );
    if (status === 401) return;
    deadline.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Request Tracker ended while it started:\n${log()}`);
}
