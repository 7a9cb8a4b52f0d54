import { hash } from 'node:crypto';
import type { WebhookBody, WebhookEndpoint } from '../protocol/index.js';

/** Longer keys are hashed, so that a sender's long ids cannot fill the memory of those who remember keys. */
const LONGEST_PLAIN_KEY = 160;

/** By endpoint, not by the fields a body has: bodies may have fields that the contract does not know. */
const distinctionOf: {
  [Endpoint in WebhookEndpoint]: (body: WebhookBody<Endpoint>, requestId: string) => string;
} = {
  message: ({ message_id }) => message_id,
  establish: ({ timestamp }) => `${timestamp}`,
  // A digest, since keys are kept longer than what people write.
  chat: ({ timestamp, body }, requestId) => `${timestamp ?? requestId}:${hash('sha256', body, 'base64url')}`,
  close: ({ timestamp, type }) => `${timestamp}:${type}`,
};

/**
 * What makes two deliveries the same event. A message has an id. A handoff request has none, so it is told by
 * its conversation, its time, and where two could be sent at one time, its content.
 *
 * A chat message without a time cannot be told from the user saying the same thing again; losing the second
 * would be worse than handling a repeat, so each such delivery counts as new, told by `requestId`.
 */
export function eventKey<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: WebhookBody<Endpoint>,
  requestId: string,
): string {
  const conversation = body.conversation_id;
  // With the length in front, no two conversations and distinctions make the same key.
  const key = `${endpoint}:${conversation.length}:${conversation}:${distinctionOf[endpoint](body, requestId)}`;
  return key.length <= LONGEST_PLAIN_KEY ? key : hash('sha256', key, 'base64url');
}
