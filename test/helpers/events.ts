import type { DeliveredEvent } from '../../src/index.js';

let made = 0;

/** An accepted message of a user; its key differs from that of every other unless told otherwise. */
export function chatEvent(
  conversationId: string,
  { key = `key-${++made}`, text = 'x', receivedAt = Date.now() } = {},
): DeliveredEvent<'handoff.message'> {
  return {
    name: 'handoff.message',
    key,
    conversationId,
    body: { conversation_id: conversationId, timestamp: receivedAt, body: text },
    receivedAt,
    requestId: `request-of-${key}`,
  };
}
