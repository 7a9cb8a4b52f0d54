import {
  checkOptionNames,
  configError,
  readRetryAfter,
  requireOptional,
  sendRequest,
} from '../../../internal/index.js';

/** Where the notice goes that a conversation waits. At least one. */
export interface EscalationTargets {
  /** An incoming webhook of Slack: `https://hooks.slack.com/services/…`. */
  readonly slack?: string;
  /** A URL that gets an {@link EscalationNotice} as JSON, by POST. A 2xx answer accepts it. */
  readonly webhook?: string;
  /** An e-mail. Needs the package `nodemailer`. */
  readonly email?: EscalationEmail;
}

/** An e-mail to the team. */
export interface EscalationEmail {
  /**
   * The server that takes the mail: `smtps://user:password@mail.example.com` for TLS from the start, or
   * `smtp://user:password@mail.example.com` for STARTTLS, which is then required. `?tls=off` is for a server on the
   * same machine.
   */
  readonly smtpUrl: string;
  readonly from: string;
  readonly to: string | readonly string[];
}

/** What a channel is told. No names and no words of customers. */
export interface EscalationNotice {
  /** The same when the notice is sent again, because it is unknown whether it arrived. */
  readonly id: string;
  /** The conversation, at the desk. */
  readonly url: string;
  /** The receiver's id of the conversation. */
  readonly conversationId: string;
  /** When the customer began to wait. */
  readonly waitingSince: string;
  /** For how long. */
  readonly waitedSeconds: number;
  /** Whether the conversation has had no answer at all. */
  readonly isFirstAnswer: boolean;
  /** The id of the agent it is assigned to, or `null`. */
  readonly agent: string | null;
}

/** A way to tell the team. */
export interface EscalationChannel {
  readonly name: keyof EscalationTargets;
  /** Rejects with a {@link ChannelError}. */
  send(notice: EscalationNotice): Promise<void>;
}

/** A channel that did not take a notice. The message contains no secret. */
export class ChannelError extends Error {
  /** The channel asks for this delay before the next attempt. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

const TIMEOUT_MS = 15_000;
const NAMES: readonly (keyof EscalationTargets)[] = ['slack', 'webhook', 'email'];
const EMAIL_NAMES: readonly (keyof EscalationEmail)[] = ['smtpUrl', 'from', 'to'];
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** Checks the targets. The errors do not quote them, because they contain secrets. */
export function createChannels(to: EscalationTargets): readonly EscalationChannel[] {
  checkOptionNames('to of escalation', to, NAMES);
  const channels = [
    ...(to.slack === undefined ? [] : [slackChannel(urlOf('slack', to.slack))]),
    ...(to.webhook === undefined ? [] : [webhookChannel(urlOf('webhook', to.webhook))]),
    ...(to.email === undefined ? [] : [emailChannel(to.email)]),
  ];
  if (channels.length > 0) return channels;
  throw configError('escalation.to must name slack, webhook or email.');
}

function urlOf(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (/^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '') return text;
  throw configError(`escalation.to.${name} must be an address such as https://hooks.example.com/…`);
}

const titleOf = ({ waitedSeconds, isFirstAnswer }: EscalationNotice): string => {
  const waited =
    waitedSeconds < 120 ? `${waitedSeconds} seconds` : `${Math.floor(waitedSeconds / 60)} minutes`;
  return `A conversation has waited ${waited} for ${isFirstAnswer ? 'its first answer' : 'an answer'}`;
};

const slackChannel = (url: string): EscalationChannel => ({
  name: 'slack',
  send: (notice) => post(url, { text: `${titleOf(notice)}: <${notice.url}|open it at the desk>` }),
});

const webhookChannel = (url: string): EscalationChannel => ({
  name: 'webhook',
  send: (notice) => post(url, notice),
});

async function post(url: string, body: object): Promise<void> {
  const result = await sendRequest(undefined, {
    url,
    method: 'POST',
    headers: async () => new Headers({ 'content-type': 'application/json' }),
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    signal: undefined,
    maxAnswerBytes: 10_000,
  });
  if (result.kind !== 'answered') throw new ChannelError(`no answer (${result.kind})`);
  if (result.status >= 200 && result.status < 300) return;
  throw new ChannelError(`answered ${result.status}`, readRetryAfter(result.retryAfter, Date.now()) ?? 0);
}

function emailChannel(email: EscalationEmail): EscalationChannel {
  checkOptionNames('email of escalation', email, EMAIL_NAMES);
  const url = URL.canParse(email.smtpUrl) ? new URL(email.smtpUrl) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw configError(
      'escalation.to.email.smtpUrl must be smtps://user:password@host, or smtp:// for STARTTLS.',
    );
  }
  const to = typeof email.to === 'string' ? [email.to] : email.to;
  if (to.length === 0 || ![email.from, ...to].every((address) => ADDRESS.test(address))) {
    throw configError('escalation.to.email: from and to must be e-mail addresses, such as team@example.com.');
  }
  requireNodemailer();
  const isSecure = url.protocol === 'smtps:';
  const hasTls = url.searchParams.get('tls') !== 'off';
  const auth = { user: decoded(url.username), pass: decoded(url.password) };
  return {
    name: 'email',
    async send(notice) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port || (isSecure ? 465 : 587)),
        secure: isSecure,
        requireTLS: hasTls,
        ignoreTLS: !isSecure && !hasTls,
        ...(auth.user !== '' && { auth }),
        dnsTimeout: TIMEOUT_MS,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const title = titleOf(notice);
      const mail = { from: email.from, to: [...to], subject: title, text: `${title}:\n\n${notice.url}\n` };
      await transport.sendMail(mail).catch((error: { code?: string; responseCode?: number }) => {
        throw new ChannelError(
          `the SMTP server refused (${error.responseCode ?? error.code ?? 'no reason given'})`,
        );
      });
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw configError(
      'escalation.to.email.smtpUrl: user and password are not percent-encoded: a % must be %25.',
    );
  }
}

function requireNodemailer(): void {
  try {
    requireOptional.resolve('nodemailer');
  } catch {
    throw configError('escalation.to.email needs the package nodemailer. Run: npm install nodemailer');
  }
}
