import type { SendMailOptions, SMTPSentMessageInfo, Transporter } from 'nodemailer';
import { type AdapterCall, AdapterError } from '../../bridge/index.js';
import type { LoginTokens } from './oauth.js';
import type { CheckedSettings, MailServer } from './settings.js';

/** Sends mails. */
export interface Mailer {
  /** Resolves when the server has taken the mail for at least one recipient. */
  send(mail: SendMailOptions, call: AdapterCall): Promise<void>;
  /** Connects and logs in. */
  verify(call: AdapterCall): Promise<void>;
}

/** Opens a connection per mail: few are sent, and nothing stays open. */
export function createMailer({ smtp, timeoutMs, ca }: CheckedSettings, tokens: LoginTokens | null): Mailer {
  const login = smtp.login?.pass === null && tokens ? tokens : null;

  const authOf = async ({ user, pass }: NonNullable<MailServer['login']>, call: AdapterCall) =>
    login ? { type: 'OAuth2', user, accessToken: await login.current(call) } : { user, pass: pass ?? '' };
  const connect = async (call: AdapterCall): Promise<Transporter<SMTPSentMessageInfo>> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host: smtp.host,
      port: smtp.port,
      secure: smtp.tls === 'implicit',
      requireTLS: smtp.tls === 'starttls',
      ignoreTLS: smtp.tls === 'off',
      ...(smtp.login && { auth: await authOf(smtp.login, call) }),
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
  const connected = async <Result>(
    call: AdapterCall,
    task: (transporter: Transporter<SMTPSentMessageInfo>) => Promise<Result>,
  ): Promise<Result> => {
    const attempt = async (): Promise<Result> => {
      const transporter = await connect(call);
      if (call.signal.aborted)
        throw new AdapterError('transient', 'The mail is no longer to be sent by this process.');
      return task(transporter);
    };
    try {
      return await attempt().catch((error: unknown) => {
        if (!login || !isLoginRefused(error)) throw error;
        // It can have been revoked before its time.
        login.refused();
        return attempt();
      });
    } catch (error) {
      throw sendingError(error, login !== null);
    }
  };

  return {
    async send(mail, call) {
      const sent = await connected(call, (transporter) => transporter.sendMail(mail));
      for (const { recipient, responseCode } of sent.rejectedErrors ?? []) {
        call.log.error(
          { recipient, responseCode },
          'a mail was refused for one of the recipients of the team',
        );
      }
    },
    async verify(call) {
      await connected(call, (transporter) => transporter.verify());
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
  if (error instanceof AdapterError) return error;
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
