import { hash } from 'node:crypto';
import type { WebhookBody, WebhookEndpoint } from '../protocol/index.js';

/** Longer keys are hashed: remembered keys must stay small. */
const LONGEST_PLAIN_KEY = 160;

/** The part of a key that distinguishes events of one conversation. */
const distinctionOf: {
  [Endpoint in WebhookEndpoint]: (body: WebhookBody<Endpoint>, requestId: string) => string;
} = {
  message: ({ message_id }) => message_id,
  establish: ({ timestamp }) => `${timestamp}`,
  // A digest, because keys are kept longer than messages.
  chat: ({ timestamp, body }, requestId) => `${timestamp ?? requestId}:${hash('sha256', body, 'base64url')}`,
  close: ({ timestamp, type }) => `${timestamp}:${type}`,
};

/**
 * The idempotency key of an event: equal for two deliveries of the same event. Messages have an id. Handoff events
 * have none, so their key is made of conversation, time and, for chat messages, content. A chat message without a time
 * may be the user writing the same text again, so it counts as new: a repeat is better than a lost message.
 */
export function eventKey<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: WebhookBody<Endpoint>,
  requestId: string,
): string {
  const conversation = body.conversation_id;
  // The length in front keeps `a:b` + `c` apart from `a` + `b:c`.
  const key = `${endpoint}:${conversation.length}:${conversation}:${distinctionOf[endpoint](body, requestId)}`;
  return key.length <= LONGEST_PLAIN_KEY ? key : hash('sha256', key, 'base64url');
}
