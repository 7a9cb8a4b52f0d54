import type { HandoffSession } from '../../bridge/index.js';
import { checkDuration, checkOptionNames, configError, requireOptional } from '../../internal/index.js';

export interface EmailSettings {
  /**
   * The server that takes our mails: `smtps://user:password@mail.example.com` for TLS from the start, or
   * `smtp://user:password@mail.example.com` for STARTTLS, which is then required.
   */
  readonly smtpUrl: string;
  /** The server with the mailbox of `address`: `imaps://user:password@mail.example.com`, or `imap://` for STARTTLS. */
  readonly imapUrl: string;
  /** For `smtpUrl` and `imapUrl` with a user and without a password: how to get access tokens. */
  readonly oauth?: EmailOAuth;
  /** The address that our mails come from, and that agents' replies go to. */
  readonly address: string;
  /** The address of the team's inbox, or several. */
  readonly team: string | readonly string[];
  /** Who may answer users: addresses, or whole domains such as `@example.com`. */
  readonly agents: readonly string[];
  /**
   * The mail server whose `Authentication-Results` header is believed, by the name at the beginning of that header.
   * Replies without a DMARC, DKIM or login pass of that server are refused. `null` believes the `From` line: only
   * for a mailbox that takes no mail from outside.
   */
  readonly trustedServer: string | null;
  /**
   * An address with `{token}`, such as `handoff+{token}@example.com`, for servers that deliver it to the same
   * mailbox. It tells the conversation even if a mail program drops the headers and changes the subject.
   */
  readonly replyAddress?: string;
  /** The folder that is read. Default `INBOX`. */
  readonly mailbox?: string;
  /** The subject of a conversation. Default: the customer's first message. */
  readonly subject?: string | ((session: HandoffSession) => string);
  /** Interval between looks at the mailbox. Default 1 second: the server announces new mails, so a look costs nothing. */
  readonly pollEveryMs?: number;
  /** How long a server may take for one answer. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** The certificate of a private authority that signed those of the servers, as PEM. */
  readonly ca?: string;
}

/** An app at an OAuth 2 provider that may use the mailbox. */
export interface EmailOAuth {
  /** The provider's token endpoint, such as `https://oauth2.googleapis.com/token`. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Some apps with a refresh token have none. */
  readonly clientSecret?: string | undefined;
  /** Of a person who let the app use the mailbox. Without it the app logs in as itself (`client_credentials`). */
  readonly refreshToken?: string | undefined;
  /** What the access tokens are for. Providers that remember it for a refresh token do not need it. */
  readonly scope?: string | undefined;
}

/** Where a server is, and how to log in. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the start. `starttls`: required after connecting. `off`: never. */
  readonly tls: 'implicit' | 'starttls' | 'off';
  /** Without a password: with an access token. */
  readonly login: { readonly user: string; readonly pass: string | null } | null;
}

/** {@link EmailSettings}, validated and with defaults. */
export interface CheckedSettings {
  readonly smtp: MailServer;
  readonly imap: MailServer & { readonly login: NonNullable<MailServer['login']> };
  readonly oauth: EmailOAuth | null;
  /** Of the mailbox: it keys the tokens of conversations. */
  readonly secret: string;
  readonly address: string;
  /** The part of `address` behind the `@`. */
  readonly domain: string;
  readonly team: readonly string[];
  readonly agents: readonly string[];
  readonly trustedServer: string | null;
  readonly replyAddress: string | null;
  readonly mailbox: string;
  readonly subject: ((session: HandoffSession) => string) | null;
  readonly pollEveryMs: number;
  readonly timeoutMs: number;
  readonly ca: string | null;
}

/** Where the token stands in `replyAddress`. */
export const TOKEN_PLACE = '{token}';

const ADDRESS = /^[^\s@<>,;:"()[\]\\{}]+@[^\s@<>,;:"()[\]\\{}]+$/;

const NAMES: readonly (keyof EmailSettings)[] = [
  'smtpUrl',
  'imapUrl',
  'oauth',
  'address',
  'team',
  'agents',
  'trustedServer',
  'replyAddress',
  'mailbox',
  'subject',
  'pollEveryMs',
  'timeoutMs',
  'ca',
];

/** Validates the settings and fills in the defaults. */
export function checkSettings(settings: EmailSettings): CheckedSettings {
  checkOptionNames('email', settings, NAMES);
  const { trustedServer, subject, mailbox = 'INBOX', pollEveryMs = 1_000, timeoutMs = 10_000, ca } = settings;
  const imap = serverOf(settings.imapUrl, 'imapUrl', { imap: 143, imaps: 993 });
  const smtp = serverOf(settings.smtpUrl, 'smtpUrl', { smtp: 587, smtps: 465 });
  if (!imap.login)
    throw configError('email: imapUrl must have a user and a password: imaps://user:password@host.');
  const oauth = oauthOf(settings.oauth, [smtp, imap]);
  const address = addressOf(settings.address, 'address');
  if (trustedServer === undefined || trustedServer?.trim() === '') {
    throw configError(
      'email: trustedServer must be the name at the beginning of the Authentication-Results headers of your mail server, or none if the mailbox takes no mail from outside: without it anybody could write as an agent.',
    );
  }
  if (mailbox.trim() === '') throw configError('email: mailbox must be the name of a folder, such as INBOX.');
  return {
    smtp,
    imap: { ...imap, login: imap.login },
    oauth,
    secret: imap.login.pass ?? oauth?.clientSecret ?? oauth?.refreshToken ?? '',
    address,
    domain: address.slice(address.lastIndexOf('@') + 1).toLowerCase(),
    team: teamOf(settings.team),
    agents: agentsOf(settings.agents),
    trustedServer: trustedServer?.trim().toLowerCase() ?? null,
    replyAddress: settings.replyAddress === undefined ? null : replyAddressOf(settings.replyAddress),
    mailbox,
    subject: typeof subject === 'string' ? () => subject : (subject ?? null),
    pollEveryMs: checkDuration('email: pollEveryMs', pollEveryMs),
    timeoutMs: checkDuration('email: timeoutMs', timeoutMs),
    ca: ca ?? null,
  };
}

/** Reads the address of a server. The errors do not quote it, because it has a password. */
function serverOf(text: string, option: string, ports: Readonly<Record<string, number>>): MailServer {
  const [plain, secure] = Object.keys(ports);
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocol = url?.protocol.slice(0, -1) ?? '';
  const defaultPort = ports[protocol];
  if (!url || defaultPort === undefined || url.hostname === '') {
    throw configError(
      `email: ${option} must be ${secure}://user:password@host, or ${plain}://user:password@host for STARTTLS. Special characters of the password are percent-encoded.`,
    );
  }
  const tls = url.searchParams.get('tls');
  if (tls !== null && (tls !== 'off' || protocol === secure)) {
    throw configError(
      `email: the only option of ${option} is ?tls=off, for a ${plain}:// server without TLS.`,
    );
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    tls: protocol === secure ? 'implicit' : tls === 'off' ? 'off' : 'starttls',
    login:
      url.username === ''
        ? null
        : {
            user: decoded(url.username, option),
            pass: url.password === '' ? null : decoded(url.password, option),
          },
  };
}

const OAUTH_NAMES: readonly (keyof EmailOAuth)[] = [
  'tokenUrl',
  'clientId',
  'clientSecret',
  'refreshToken',
  'scope',
];

function oauthOf(oauth: EmailOAuth | undefined, servers: readonly MailServer[]): EmailOAuth | null {
  const isNeeded = servers.some(({ login }) => login?.pass === null);
  if (!oauth) {
    if (!isNeeded) return null;
    throw configError('email: smtpUrl and imapUrl must have a password behind the user, or need oauth.');
  }
  checkOptionNames('oauth of email', oauth, OAUTH_NAMES);
  if (!isNeeded) {
    throw configError(
      'email: oauth is for logins without a password: leave it out of imapUrl and smtpUrl, as in imaps://user@host.',
    );
  }
  const url = URL.canParse(oauth.tokenUrl) ? new URL(oauth.tokenUrl) : null;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.username !== '' || url.password !== '') {
    throw configError(
      'email: oauth.tokenUrl must be the https:// address of the token endpoint, such as https://oauth2.googleapis.com/token.',
    );
  }
  if (oauth.clientId.trim() === '')
    throw configError('email: oauth.clientId must be the id of an app at the OAuth provider.');
  if (!oauth.clientSecret && !oauth.refreshToken) {
    throw configError(
      'email: oauth must have a refreshToken, or the clientSecret of an app that logs in as itself.',
    );
  }
  return oauth;
}

function decoded(text: string, option: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw configError(
      `email: the user or the password in ${option} is not percent-encoded: a % must be %25.`,
    );
  }
}

function addressOf(text: string, option: string): string {
  if (ADDRESS.test(text.trim())) return text.trim();
  throw configError(`email: ${option} must be an e-mail address, such as support@example.com.`);
}

function teamOf(team: EmailSettings['team']): readonly string[] {
  const addresses = (typeof team === 'string' ? [team] : team).map((each) => addressOf(each, 'team'));
  if (addresses.length === 0) throw configError('email: team must have the address of the team, or several.');
  return addresses;
}

function agentsOf(agents: readonly string[]): readonly string[] {
  const rules = agents.map((each) => each.trim().toLowerCase());
  if (rules.length > 0 && rules.every((rule) => ADDRESS.test(rule) || ADDRESS.test(`any${rule}`)))
    return rules;
  throw configError(
    'email: agents must be the addresses of those who may answer users, or their domains: ann@example.com, @example.org.',
  );
}

function replyAddressOf(text: string): string {
  const isTemplate = text.split(TOKEN_PLACE).length === 2 && text.indexOf(TOKEN_PLACE) < text.indexOf('@');
  if (isTemplate && ADDRESS.test(text.replace(TOKEN_PLACE, 'token'))) return text.trim();
  throw configError(
    `email: replyAddress must be an address with ${TOKEN_PLACE} before the @, such as handoff+${TOKEN_PLACE}@example.com.`,
  );
}

const PACKAGES = ['nodemailer', 'imapflow', 'mailparser'] as const;

/** Throws if a package that this adapter needs is not installed. */
export function checkPackages(
  resolve: (name: string) => unknown = (name) => requireOptional.resolve(name),
): void {
  const isMissing = (name: string): boolean => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  };
  const missing = PACKAGES.filter(isMissing);
  if (missing.length === 0) return;
  throw configError(
    `email: this adapter needs the packages ${PACKAGES.join(', ')}. Install what is missing: npm install ${missing.join(' ')}`,
  );
}
