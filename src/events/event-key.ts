import { hash, randomUUID } from 'node:crypto';
import {
  type HandoffChat,
  isWholeSeconds,
  type WebhookBody,
  type WebhookEndpoint,
} from '../protocol/index.js';
import { DEFAULT_BOT } from './bots.js';

/** Longer keys are hashed: remembered keys must stay small. */
const LONGEST_PLAIN_KEY = 160;

/** The part of a key that distinguishes events of one conversation. */
const distinctionOf: {
  [Endpoint in WebhookEndpoint]: (body: WebhookBody<Endpoint>, session: number) => string;
} = {
  message: ({ message_id }) => message_id,
  establish: (body, session) => `${body.timestamp ?? `session ${session}:${digest(JSON.stringify(body))}`}`,
  chat(body) {
    const {
      timestamp,
      body: words,
      message_id: id,
    } = body as HandoffChat & { readonly message_id?: unknown };
    const said = `${timestamp}:${digest(words)}`;
    // Not in the contract, but the best evidence where it is sent.
    if (id && (typeof id === 'string' || typeof id === 'number')) return `${said}:${id}`;
    return timestamp === null || isWholeSeconds(timestamp) ? randomUUID() : said;
  },
  close: ({ timestamp, type }, session) => `${timestamp ?? `session ${session}`}:${type}`,
};

/** A digest, because keys are kept longer than messages. */
const digest = (text: string): string => hash('sha256', text, 'base64url');

/**
 * The idempotency key of an event: equal for two deliveries of the same event, where that is certain. Where it is not,
 * the keys differ, because a repeated message is better than a lost one.
 *
 * - A message has an id.
 * - A user's message has none. It is the same if it has the same words and the same time, finer than a second. Where a
 *   deployment sends an id, a coarser time is enough.
 * - A request or a close is the same if it has the same time. Without a time, it is the same if it belongs to the same
 *   session of the conversation, and a request must have the same content.
 *
 * The key of a bot's event begins with the bot's name, unless that is `default`.
 *
 * @param session - what the receiver knows of the conversation; see {@link needsSession}
 */
export function eventKey<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: WebhookBody<Endpoint>,
  { bot = DEFAULT_BOT, session = 0 }: { readonly bot?: string; readonly session?: number | undefined } = {},
): string {
  const conversation = body.conversation_id;
  // The length in front keeps `a:b` + `c` apart from `a` + `b:c`.
  const key = `${endpoint}:${conversation.length}:${conversation}:${distinctionOf[endpoint](body, session)}`;
  const short = key.length <= LONGEST_PLAIN_KEY ? key : digest(key);
  return bot === DEFAULT_BOT ? short : `${bot}/${short}`;
}

/** Whether {@link eventKey} needs the session of the conversation. */
export function needsSession(endpoint: WebhookEndpoint, body: WebhookBody<WebhookEndpoint>): boolean {
  return (endpoint === 'establish' || endpoint === 'close') && 'timestamp' in body && body.timestamp === null;
}
