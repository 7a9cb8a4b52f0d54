import { hash } from 'node:crypto';
import type { WebhookBody, WebhookEndpoint } from '../protocol/index.js';

/** Longer keys are hashed, so that long ids cannot fill the memory of remembered keys. */
const LONGEST_PLAIN_KEY = 160;

/** By endpoint, not by the fields of a body, which may have some that the contract does not know. */
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
 * The idempotency key of an event: equal for two deliveries of the same event. A message has an id. Handoff events
 * have none, so theirs is made of the conversation, the time and, where two can have the same time, the content.
 *
 * A chat message without a time cannot be told from the user saying the same thing again. Losing the second would be
 * worse than handling a repeat, so each such delivery counts as new, by its `requestId`.
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
