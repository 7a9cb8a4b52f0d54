import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { freePort } from '../../../helpers/free-port.js';
import { describeWith } from '../../../helpers/requirement.js';
import { until } from '../../request-tracker/rt/until.js';
import { dovecotConfig, eximConfig, OWNER, pathsIn } from './configuration.js';

const EXIM = '/usr/sbin/exim4';
const DOVECOT = '/usr/sbin/dovecot';
const OPENSSL = '/usr/bin/openssl';

/** `describe` for tests against a real mail server. */
export const describeWithMail = describeWith({
  name: 'mail',
  found:
    process.getuid?.() === 0 && [EXIM, DOVECOT, '/usr/lib/dovecot/imap'].every((file) => existsSync(file)),
  leavesOut: 'tests against a mail server, since exim or dovecot is missing, or this is not root',
  howToGet: 'bash .ci/install, as root on Debian',
});

/** The accounts, each with the password `secret of <name>`. */
const ACCOUNTS = ['handoff', 'team', 'ann', 'ben', 'away', 'mallory'] as const;

export type Account = (typeof ACCOUNTS)[number];

export const passwordOf = (account: string): string => `secret of ${account}`;
export const addressOf = (account: string): string => `${account}@example.com`;

/** A private mail server: exim and dovecot. */
export interface MailServer {
  readonly smtpPort: number;
  readonly smtpsPort: number;
  readonly imapPort: number;
  readonly imapsPort: number;
  readonly ca: string;
  /** The address of the SMTP server with the login of an account. */
  smtpUrl(account?: Account, port?: number, password?: string): string;
  /** Lets an account log in with this access token, and with no other. */
  acceptToken(account: Account, token: string): void;
  imapUrl(account?: Account, port?: number, password?: string): string;
  /** The mails of an account, in the order in which exim took them. */
  mails(account: Account): Promise<readonly ParsedMail[]>;
  /** Resolves when exim has delivered everything that it took. */
  settled(): Promise<void>;
  /** Deletes the mails of all accounts. */
  empty(): Promise<void>;
  /** Sends a mail: with the login of an account, or as a stranger from outside. */
  send(mail: SendMailOptions, login?: Account): Promise<void>;
  /** Makes exim postpone or refuse mails until the returned function is called. */
  trouble(kind: 'postpone' | 'refuseAddress' | 'refuseContent'): () => void;
  /** The flags of the mails of an account: those that a reader of the mailbox would have left. */
  flags(account: Account): string[];
  /** Lets dovecot number the mails of an account anew. */
  renumber(account: Account): void;
  startImap(): Promise<void>;
  stopImap(): Promise<void>;
  log(): string;
  remove(): Promise<void>;
}

/** Starts a mail server with its own folder and ports. */
export async function startMailServer(): Promise<MailServer> {
  const paths = pathsIn(mkdtempSync(join(tmpdir(), 'handoff-kit-mail-')));
  const ports = {
    smtp: await freePort(),
    smtps: await freePort(),
    imap: await freePort(),
    imaps: await freePort(),
  };
  for (const path of [paths.spool, paths.log, paths.dovecotRun, paths.mail]) mkdirSync(path);
  for (const account of ACCOUNTS) makeMaildir(join(paths.mail, account));
  const users = ACCOUNTS.map((account) => `${addressOf(account)}:${passwordOf(account)}::::::`);
  writeFileSync(paths.users, `${users.join('\n')}\n`);
  writeFileSync(paths.accessTokens, '');
  makeCertificate(paths.certificate, paths.key);
  writeFileSync(paths.eximConfig, eximConfig(paths, ports));
  writeFileSync(paths.dovecotConfig, dovecotConfig(paths, ports));
  chmodSync(paths.folder, 0o755);
  const uid = idOf('-u');
  const gid = idOf('-g');
  const ownEach = (path: string): void => {
    chownSync(path, uid, gid);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) ownEach(join(path, entry.name));
    }
  };
  for (const path of [paths.spool, paths.log, paths.mail]) ownEach(path);
  for (const path of [paths.key, paths.certificate, paths.users, paths.accessTokens])
    chownSync(path, uid, gid);
  const ca = readFileSync(paths.certificate, 'utf8');

  const exim = spawn(EXIM, ['-C', paths.eximConfig, '-bdf', '-q1s'], { uid, gid, stdio: 'ignore' });
  let dovecot: ChildProcess | null = null;
  const startImap = async (): Promise<void> => {
    dovecot = spawn(DOVECOT, ['-F', '-c', paths.dovecotConfig], { stdio: 'ignore' });
    await waitForPort(ports.imap, dovecot);
  };
  const stopImap = async (): Promise<void> => {
    const ending = dovecot;
    dovecot = null;
    if (ending) await endProcess(ending);
  };
  const log = (): string =>
    readdirSync(paths.log)
      .map((file) => readFileSync(join(paths.log, file), 'utf8'))
      .join('\n');

  const urlOf = (scheme: string, port: number, account: Account, password: string): string =>
    `${scheme}://${encodeURIComponent(addressOf(account))}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const filesOf = (account: Account): string[] =>
    ['new', 'cur']
      .flatMap((folder) => readdirSync(join(paths.mail, account, folder)).map((file) => join(folder, file)))
      .sort((one, other) => arrivedAt(one) - arrivedAt(other));

  const server: MailServer = {
    smtpPort: ports.smtp,
    smtpsPort: ports.smtps,
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    ca,
    smtpUrl: (account = 'handoff', port = ports.smtp, password = passwordOf(account)) =>
      urlOf('smtp', port, account, password),
    imapUrl: (account = 'handoff', port = ports.imap, password = passwordOf(account)) =>
      urlOf('imap', port, account, password),
    acceptToken: (account, token) =>
      writeFileSync(paths.accessTokens, `${addressOf(account)}:${token}::::::\n`),
    async mails(account) {
      const mails = await Promise.all(
        filesOf(account).map((file) => simpleParser(readFileSync(join(paths.mail, account, file)))),
      );
      // exim delivers mails of one second in any order, each in a process of its own.
      const accepted = log()
        .split('\n')
        .filter((line) => line.includes(' <= '));
      const place = ({ messageId = '' }: ParsedMail) =>
        accepted.findIndex((line) => line.includes(` id=${messageId.replace(/[<>]/g, '')}`));
      return mails.sort((one, other) => place(one) - place(other));
    },
    async settled() {
      // exim makes the folder with the first mail.
      const input = join(paths.spool, 'input');
      await until('exim to deliver its mails', () => !existsSync(input) || readdirSync(input).length === 0);
    },
    async empty() {
      await server.settled();
      for (const account of ACCOUNTS)
        for (const file of filesOf(account)) rmSync(join(paths.mail, account, file), { force: true });
    },
    async send(mail, login) {
      const transport = createTransport({
        host: '127.0.0.1',
        port: ports.smtp,
        requireTLS: true,
        tls: { ca },
        ...(login && { auth: { user: addressOf(login), pass: passwordOf(login) } }),
      });
      await transport.sendMail(mail);
    },
    trouble(kind) {
      writeFileSync(paths[kind], '');
      return () => rmSync(paths[kind], { force: true });
    },
    flags: (account) => filesOf(account).map((file) => /:2,(\w*)$/.exec(file)?.[1] ?? ''),
    renumber(account) {
      for (const file of readdirSync(join(paths.mail, account))) {
        if (file.startsWith('dovecot')) rmSync(join(paths.mail, account, file), { recursive: true });
      }
    },
    startImap,
    stopImap,
    log,
    async remove() {
      await stopImap();
      await endProcess(exim);
      rmSync(paths.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  try {
    await waitForPort(ports.smtp, exim);
    await startImap();
    return server;
  } catch (error) {
    const reason = log();
    await server.remove();
    throw new Error(`the mail server did not start:\n${reason}`, { cause: error });
  }
}

/** Microseconds; exim names a file by seconds and microseconds: `1794826779.H42P5973.mail.example.com`. */
function arrivedAt(file: string): number {
  const [, seconds, micros] = /(\d+)\.H(\d+)P/.exec(file) ?? [];
  return Number(seconds) * 1_000_000 + Number(micros);
}

function makeMaildir(path: string): void {
  for (const part of ['', 'new', 'cur', 'tmp']) mkdirSync(join(path, part));
}

function makeCertificate(certificate: string, key: string): void {
  const subject = ['-subj', '/CN=mail.example.com', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync(OPENSSL, ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' });
}

const idOf = (flag: string): number => Number(execFileSync('id', [flag, OWNER], { encoding: 'utf8' }));

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const deadline = AbortSignal.timeout(120_000);
  while (child.exitCode === null && child.signalCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    deadline.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('a server ended while it started');
}
