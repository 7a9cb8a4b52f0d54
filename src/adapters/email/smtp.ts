import type { SendMailOptions, SMTPSentMessageInfo, SMTPTransportOptions, Transporter } from 'nodemailer';
import { type AdapterCall, AdapterError } from '../../bridge/index.js';
import type { LoginTokens } from './oauth.js';
import type { CheckedSettings } from './settings.js';

/** Sends mails. */
export interface Mailer {
  /** Resolves when the server has taken the mail for at least one recipient. */
  send(mail: SendMailOptions, call: AdapterCall): Promise<void>;
  /** Connects and logs in. */
  verify(): Promise<void>;
}

/** Opens a connection per mail: few are sent, and nothing stays open. */
export function createMailer({ smtp, timeoutMs, ca }: CheckedSettings, tokens: LoginTokens | null): Mailer {
  const login = smtp.login?.pass === null && tokens ? tokens : null;
  let loaded: Promise<Transporter<SMTPSentMessageInfo>> | null = null;

  const load = async (): Promise<Transporter<SMTPSentMessageInfo>> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host: smtp.host,
      port: smtp.port,
      secure: smtp.tls === 'implicit',
      requireTLS: smtp.tls === 'starttls',
      ignoreTLS: smtp.tls === 'off',
      ...(smtp.login && { auth: authOf(smtp.login, login) }),
      ...(ca !== null && { tls: { ca } }),
      dnsTimeout: timeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Texts of users must not name a file or an address for nodemailer to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  const transport = (): Promise<Transporter<SMTPSentMessageInfo>> => (loaded ??= load());

  const attempt = async <Result>(task: () => Promise<Result>): Promise<Result> => {
    try {
      return await task().catch((error: unknown) => {
        if (!login || !isLoginRefused(error)) throw error;
        // It can have been revoked before its time.
        login.refused();
        return task();
      });
    } catch (error) {
      throw sendingError(error, login !== null);
    }
  };

  return {
    async send(mail, { log, signal }) {
      const transporter = await transport();
      if (signal.aborted)
        throw new AdapterError('transient', 'The mail is no longer to be sent by this process.');
      const sent = await attempt(() => transporter.sendMail(mail));
      for (const { recipient, responseCode } of sent.rejectedErrors ?? []) {
        log.error({ recipient, responseCode }, 'a mail was refused for one of the recipients of the team');
      }
    },
    async verify() {
      const transporter = await transport();
      await attempt(() => transporter.verify());
    },
  };
}

/** nodemailer asks for a token at each login: one that has expired already is not kept. */
const EXPIRED = 1;

function authOf(
  { user, pass }: NonNullable<CheckedSettings['smtp']['login']>,
  tokens: LoginTokens | null,
): NonNullable<SMTPTransportOptions['auth']> {
  if (!tokens) return { user, pass: pass ?? '' };
  const { signal } = new AbortController();
  return {
    type: 'OAuth2',
    user,
    provisionCallback: (_user, _renew, callback) => {
      tokens.current({ signal }).then(
        (token) => callback(null, token, EXPIRED),
        // As a cause: nodemailer changes the error.
        (cause: unknown) => callback(new Error('there is no access token', { cause })),
      );
    },
  };
}

const isLoginRefused = (error: unknown): boolean => {
  const { code, responseCode = 0 } = error as Failure;
  return code === 'EAUTH' && responseCode >= 500;
};

/**
 * The kind of a failure. An address that is refused for good needs an operator, as wrong credentials do: the message
 * waits. A text that is refused for good would be refused again.
 */
function sendingError(error: unknown, usesTokens: boolean): AdapterError {
  if (error instanceof Error && error.cause instanceof AdapterError) return error.cause;
  const { code = '', command = '', responseCode = 0, message = '' } = error as Failure;
  const answer = responseCode > 0 ? ` with ${responseCode}` : '';
  if (code === 'EAUTH' || code === 'ENOAUTH' || responseCode === 530 || responseCode === 535) {
    const isLater = responseCode >= 400 && responseCode < 500;
    return new AdapterError(
      isLater ? 'transient' : 'auth',
      usesTokens
        ? `The SMTP server refused the access token${answer}. Check the user of smtpUrl, the scope of oauth, and that the app may send from this mailbox.`
        : `The SMTP server refused the login${answer}. Check user and password of smtpUrl.`,
    );
  }
  if (code === 'ETLS' || (code === 'ESOCKET' && /certificate|altname|SSL|TLS/i.test(message))) {
    return new AdapterError(
      'transient',
      'The SMTP server offers no TLS that can be trusted. Check host, port and certificate: smtps:// has TLS from the start, smtp:// needs STARTTLS.',
    );
  }
  if (responseCode >= 500 && (command === 'MAIL FROM' || command === 'RCPT TO')) {
    const what = command === 'MAIL FROM' ? 'our address' : 'the address of the team';
    return new AdapterError(
      'auth',
      `The SMTP server refused ${what}${answer}. Check it, and that this login may send from it.`,
    );
  }
  if (responseCode >= 500) return new AdapterError('invalid', `The SMTP server refused a mail${answer}.`);
  if (responseCode >= 400) return new AdapterError('transient', `The SMTP server postponed a mail${answer}.`);
  return new AdapterError('transient', `The SMTP server did not answer (${code || 'no reason given'}).`);
}

/** What nodemailer adds to its errors. The text of the server is left out: it can quote the mail. */
interface Failure {
  readonly message?: string;
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}
