import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmailOAuth, email } from '../../../src/adapters/email/index.js';
import { createLoginTokens } from '../../../src/adapters/email/oauth.js';
import { CALL } from '../../fixtures/adapter-session.js';
import { SETTINGS } from './arrived.js';
import { startProvider } from './oauth-provider.js';

const APP = { clientId: 'app', clientSecret: 'sEcret', scope: 'mail' } as const;

const tokensOf = (oauth: EmailOAuth) => createLoginTokens(oauth, 10_000);

describe('an access token', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is requested with the refresh token, once, and again a minute before it expires', async () => {
    const { tokenUrl, forms } = await startProvider();
    const tokens = tokensOf({ ...APP, tokenUrl, refreshToken: 'refresh' });
    const both = await Promise.all([tokens.current(CALL), tokens.current(CALL)]);
    expect(both).toEqual(['token-1', 'token-1']);
    vi.setSystemTime(Date.now() + 3_539_000);
    expect(await tokens.current(CALL)).toBe('token-1');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await tokens.current(CALL)).toBe('token-2');
    const form = { client_id: 'app', client_secret: 'sEcret', scope: 'mail' };
    expect(forms[0]).toEqual({ ...form, grant_type: 'refresh_token', refresh_token: 'refresh' });
  });

  it('is requested for the app itself without a refresh token', async () => {
    const { tokenUrl, forms } = await startProvider();
    await tokensOf({ ...APP, tokenUrl }).current(CALL);
    const form = { client_id: 'app', client_secret: 'sEcret', scope: 'mail' };
    expect(forms).toEqual([{ ...form, grant_type: 'client_credentials' }]);
  });

  it('is requested with the newest refresh token, and with the first one if that is refused', async () => {
    const provider = await startProvider(undefined, { expires_in: '3600', refresh_token: 'newer' });
    const tokens = tokensOf({ clientId: 'app', tokenUrl: provider.tokenUrl, refreshToken: 'first' });
    await tokens.current(CALL);
    tokens.refused();
    provider.refuse({ status: 400, error: 'invalid_grant' });
    await expect(tokens.current(CALL)).rejects.toMatchObject({ kind: 'auth' });
    provider.refuse(null);
    await tokens.current(CALL);
    expect(provider.forms.map(({ refresh_token }) => refresh_token)).toEqual(['first', 'newer', 'first']);
    expect(provider.forms[0]).not.toHaveProperty('client_secret');
  });

  it.each([
    [{ status: 400, error: 'invalid_grant' }, 'auth', /400, invalid_grant\).*Create a new one/],
    [{ status: 401, error: 'invalid_client' }, 'auth', /401, invalid_client\).*secret may have expired/],
    [{ status: 400, error: 'invalid_scope' }, 'auth', /invalid_scope\). Check scope/],
    [{ status: 404 }, 'auth', /\(404\). Check tokenUrl/],
    [{ status: 200, error: 'Token: sEcret' }, 'auth', /\(200\). Check tokenUrl/],
    [{ status: 429 }, 'rate-limited', /wait/],
    [{ status: 503 }, 'transient', /503/],
  ])('that is not given is explained: %j', async (refusal, kind, message) => {
    const provider = await startProvider();
    provider.refuse(refusal);
    const failed = tokensOf({ ...APP, tokenUrl: provider.tokenUrl }).current(CALL);
    await expect(failed).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    await expect(failed).rejects.not.toThrow(/sEcret/);
  });

  it('can be had later from a provider that is away', async () => {
    const failed = tokensOf({ ...APP, tokenUrl: 'http://127.0.0.1:9/token' }).current(CALL);
    await expect(failed).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('a login with an access token', () => {
  /** Speaks lines; `answer` gets those of the client. */
  const startServer = async (greeting: string, answer: (line: string) => string): Promise<number> => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write(`${greeting}\r\n`);
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) socket.write(`${answer(line)}\r\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };

  /** A provider and servers that take its `accepted`th token for the user `handoff@example.com`. */
  const startAll = async (accepted: number) => {
    const said: string[] = [];
    const isRight = (encoded: string): boolean => {
      const text = Buffer.from(encoded, 'base64').toString();
      said.push(text);
      return text === `user=handoff@example.com\u0001auth=Bearer token-${accepted}\u0001\u0001`;
    };
    const smtp = await startServer('220 mail.example.com', (line) => {
      if (line.startsWith('EHLO')) return '250-mail.example.com\r\n250 AUTH PLAIN XOAUTH2';
      const [, encoded] = /^AUTH XOAUTH2 (\S+)$/.exec(line) ?? [];
      if (encoded !== undefined) return isRight(encoded) ? '235 welcome' : '535 5.7.3 no';
      return line === 'QUIT' ? '221 bye' : '250 ok';
    });
    const imap = await startServer(
      '* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2] hello',
      (line) => {
        const [tag = '', command = '', , encoded = ''] = line.split(' ');
        if (command === 'AUTHENTICATE') return isRight(encoded) ? `${tag} OK welcome` : `${tag} NO no`;
        if (command === 'CAPABILITY') return `* CAPABILITY IMAP4rev1\r\n${tag} OK`;
        if (command === 'EXAMINE')
          return `* 0 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n* OK [UIDNEXT 1] ok\r\n${tag} OK [READ-ONLY] ok`;
        return `${tag} OK`;
      },
    );
    const provider = await startProvider();
    const adapter = email({
      ...SETTINGS,
      smtpUrl: `smtp://handoff%40example.com@127.0.0.1:${smtp}?tls=off`,
      imapUrl: `imap://handoff%40example.com@127.0.0.1:${imap}?tls=off`,
      oauth: { ...APP, tokenUrl: provider.tokenUrl },
    });
    onTestFinished(() => adapter.dispose?.());
    return { adapter, provider, said };
  };

  it('sends the user and the token to both servers, by XOAUTH2', async () => {
    const { adapter, provider, said } = await startAll(1);
    expect(await adapter.check(CALL)).toMatchObject([
      { name: 'oauth', ok: true, detail: '127.0.0.1 has given an access token.' },
      { name: 'smtp', ok: true },
      { name: 'imap', ok: true },
      { name: 'senders', ok: true },
    ]);
    expect(said).toEqual(Array(2).fill('user=handoff@example.com\u0001auth=Bearer token-1\u0001\u0001'));
    expect(provider.forms).toHaveLength(1);
  });

  it('is tried once more with a new token if a server refuses the last', async () => {
    const { adapter, provider } = await startAll(2);
    expect((await adapter.check(CALL)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(provider.forms).toHaveLength(2);
  });

  it('is tried once more by IMAP, too', async () => {
    const { adapter, provider } = await startAll(2);
    expect(await adapter.poll?.(null, CALL)).toMatchObject({ events: [] });
    expect(provider.forms).toHaveLength(2);
  });

  it('says what to check if the servers refuse every token', async () => {
    const { adapter, provider } = await startAll(0);
    expect(await adapter.check(CALL)).toMatchObject([
      { name: 'oauth', ok: true },
      { name: 'smtp', ok: false, detail: expect.stringMatching(/access token with 535.*scope of oauth/) },
      { name: 'imap', ok: false, detail: expect.stringMatching(/access token.*user of imapUrl/) },
    ]);
    // The first, and one more for each server.
    expect(provider.forms).toHaveLength(3);
  });

  it('says what the provider refused', async () => {
    const { adapter, provider } = await startAll(1);
    provider.refuse({ status: 401, error: 'invalid_client' });
    const detail = expect.stringContaining('invalid_client');
    expect(await adapter.check(CALL)).toEqual(
      ['oauth', 'smtp', 'imap'].map((name) => ({ name, ok: false, detail })),
    );
  });
});

describe('the settings of OAuth', () => {
  const { smtpUrl, imapUrl } = {
    smtpUrl: 'smtps://a@mail.example.com',
    imapUrl: 'imaps://a@mail.example.com',
  };
  const oauth = { ...APP, tokenUrl: 'https://login.example.com/token' };

  it('are for URLs without a password', () => {
    expect(() => email({ ...SETTINGS, smtpUrl, imapUrl, oauth })).not.toThrow();
    expect(() => email({ ...SETTINGS, imapUrl, oauth })).not.toThrow();
  });

  it.each([
    [{ smtpUrl }, /must have a password behind the user, or need oauth/],
    [{ oauth }, /oauth is for logins without a password/],
    [{ imapUrl, oauth: { ...oauth, tokenUrl: 'http://login.example.com/token' } }, /oauth\.tokenUrl must be/],
    [
      { imapUrl, oauth: { ...oauth, tokenUrl: 'https://a:sEcret@login.example.com' } },
      /oauth\.tokenUrl must be/,
    ],
    [{ imapUrl, oauth: { ...oauth, clientId: '' } }, /oauth\.clientId must be/],
    [{ imapUrl, oauth: { ...oauth, clientSecret: undefined } }, /must have a refreshToken/],
    [{ imapUrl, oauth: { ...oauth, refresh_token: 'sEcret' } }, /does not know the option refresh_token/],
  ])('are refused when invalid: %j', (changes, message) => {
    const make = () => email({ ...SETTINGS, ...changes });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/sEcret/);
  });
});
