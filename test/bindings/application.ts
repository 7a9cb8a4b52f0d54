import { createLog, createReceiver, pathToken, type Receiver, webhookUser } from 'handoff-kit';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';

/** The differences between cases. Plain data, since some hosts run in another process. */
export interface ApplicationOptions {
  readonly platform?: { readonly baseUrl: string; readonly apiKey: string };
  readonly readTimeoutMs?: number;
  /** For hosts that pass the whole path. */
  readonly basePath?: string;
}

/** A report to the test: an event that reached its handler, or a log line. */
export type Note =
  | {
      readonly kind: 'event';
      readonly event: string;
      readonly conversationId: string;
      readonly text: string;
      readonly requestId: string;
    }
  | { readonly kind: 'log'; readonly msg: string; readonly status: unknown };

/** The body limit in bytes. */
export const BODY_BYTES = 65_536;

/** A header that counts as the message webhook's credentials, with the right remote address. */
export const LOCAL = 'x-local-sender';

/** A bot's message with this text makes its handler fail. */
export const FAIL = 'Fail, please.';
/** A bot's message with this text makes the receiver close. */
export const CLOSE = 'Close, please.';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** The application with which every host is tested. */
export function createApplication(
  { platform, readTimeoutMs, basePath }: ApplicationOptions,
  tell: (note: Note) => void,
): Receiver {
  const write = (line: string): void => {
    const { msg, status } = JSON.parse(line);
    tell({ kind: 'log', msg, status });
  };
  const receiver = createReceiver({
    auth: {
      message: [
        webhookUser({ username: USERNAME, secret: SECRET }),
        ({ headers, remoteAddress = '' }) => headers[LOCAL] === 'yes' && LOOPBACK.has(remoteAddress),
      ],
      handoff: pathToken(PATH_TOKEN),
    },
    log: createLog({ level: 'debug', destination: { write } }),
    limits: { bodyBytes: BODY_BYTES, ...(readTimeoutMs && { readTimeoutMs }) },
    ...(platform && { platform, greeting: 'One moment, please.' }),
    ...(basePath && { basePath }),
  });

  receiver.on('probe', ({ requestId }) =>
    tell({ kind: 'event', event: 'probe', conversationId: '', text: '', requestId }),
  );
  receiver.onAny((context) => {
    const { event, conversationId, requestId } = context;
    const text = 'text' in context ? context.text : '';
    tell({ kind: 'event', event, conversationId, text, requestId });
  });
  receiver.on('message', ({ text }) => {
    if (text === FAIL) throw new Error('the handler was told to fail');
    if (text === CLOSE) void receiver.close();
  });
  receiver.on('handoff.requested', () => {});
  receiver.on('handoff.message', async ({ text, reply }) => {
    if (platform) await reply(`You said: ${text}`);
  });
  return receiver;
}
