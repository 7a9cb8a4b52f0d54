import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { email } from '../../../src/adapters/email/index.js';
import { checkPackages } from '../../../src/adapters/email/settings.js';
import { silentLog } from '../../../src/internal/index.js';
import { SETTINGS } from './arrived.js';

describe('the settings of the adapter', () => {
  it('need no more than servers, addresses and the rules for senders', () => {
    const { name, capabilities } = email(SETTINGS);
    expect(name).toBe('email');
    expect(capabilities).toMatchObject({
      inbound: ['poll'],
      pollEveryMs: 1_000,
      messageIds: true,
      nativeClose: false,
    });
  });

  it.each([
    { smtpUrl: 'mail.example.com' },
    { smtpUrl: 'http://user:sEcret@mail.example.com' },
    { smtpUrl: 'smtps://user:sEcret@mail.example.com?tls=off' },
    { smtpUrl: 'smtp://user:sEcret@mail.example.com?tls=maybe' },
    { smtpUrl: 'smtps://user:sEcret%@mail.example.com' },
    { imapUrl: 'smtps://user:sEcret@mail.example.com' },
    { imapUrl: 'imaps://mail.example.com' },
    { address: 'handoff' },
    { address: 'Handoff <handoff@example.com>' },
    { team: [] },
    { team: 'team' },
    { agents: [] },
    { agents: ['example.com'] },
    { agents: ['ann@example.com', ''] },
    { agents: ['@'] },
    { trustedServer: ' ' },
    { replyAddress: 'handoff@example.com' },
    { replyAddress: 'handoff@{token}.example.com' },
    { mailbox: '' },
    { pollEveryMs: 0 },
    { timeoutMs: 1.5 },
  ])('are refused when invalid: %j', (changes) => {
    const make = () => email({ ...SETTINGS, ...changes });
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(make).not.toThrow(/sEcret/);
  });

  it('have no default for the trust in senders', () => {
    const { trustedServer: _, ...others } = SETTINGS;
    const make = () => email(others as typeof SETTINGS);
    expect(make).toThrow(/trustedServer must be/);
  });
});

describe('the packages of the adapter', () => {
  it('are named if they are not installed', () => {
    const resolve = (name: string) => {
      if (name !== 'nodemailer') throw new Error(`Cannot find module '${name}'`);
    };
    expect(() => checkPackages(resolve)).toThrow(/npm install imapflow mailparser$/);
    expect(() => checkPackages()).not.toThrow();
  });
});

describe('a server without TLS', () => {
  /** Offers to take a login, and no STARTTLS. */
  const startPlainServer = async (greeting: string, answerTo: (line: string) => string) => {
    const lines: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write(`${greeting}\r\n`);
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
          lines.push(line);
          socket.write(`${answerTo(line)}\r\n`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address();
    return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, lines };
  };

  it('gets no password', async () => {
    const smtp = await startPlainServer('220 plain', (line) =>
      line.startsWith('EHLO') ? '250-plain\r\n250 AUTH PLAIN LOGIN' : '502 no',
    );
    const imap = await startPlainServer('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] plain', (line) =>
      /CAPABILITY/.test(line)
        ? `* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n${line.split(' ')[0]} OK`
        : `${line.split(' ')[0]} BAD no`,
    );
    const adapter = email({
      ...SETTINGS,
      smtpUrl: `smtp://user:sEcret@127.0.0.1:${smtp.port}`,
      imapUrl: `imap://user:sEcret@127.0.0.1:${imap.port}`,
    });
    const results = await adapter.check({ signal: new AbortController().signal, log: silentLog });
    expect(results).toEqual([
      { name: 'smtp', ok: false, detail: expect.stringContaining('TLS') },
      { name: 'imap', ok: false, detail: expect.stringContaining('TLS') },
    ]);
    const said = [...smtp.lines, ...imap.lines].join('\n');
    expect(said).not.toMatch(/AUTH PLAIN|AUTHENTICATE|LOGIN/);
  });
});
