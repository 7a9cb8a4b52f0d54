import type { DeliveredEvent } from '../../src/events/index.js';

let made = 0;

/** An accepted user message, with a unique key by default. */
export function chatEvent(
  conversationId: string,
  { key = `key-${++made}`, text = 'x', receivedAt = Date.now() } = {},
): DeliveredEvent<'handoff.message'> {
  return {
    name: 'handoff.message',
    bot: 'default',
    key,
    conversationId,
    body: { conversation_id: conversationId, timestamp: receivedAt, body: text },
    receivedAt,
    requestId: `request-of-${key}`,
  };
}

/** An accepted handoff request. */
export function requestEvent(
  conversationId: string,
  { key = `key-${++made}`, userId = null, anonymousId = null, receivedAt = Date.now() }: RequestDetails = {},
): DeliveredEvent<'handoff.requested'> {
  return {
    name: 'handoff.requested',
    bot: 'default',
    key,
    conversationId,
    body: {
      conversation_id: conversationId,
      timestamp: receivedAt,
      email: null,
      bot_id: null,
      body: [],
      user_info: { phone: null, email: null, user_id: userId, anonymous_id: anonymousId },
    },
    receivedAt,
    requestId: `request-of-${key}`,
  };
}

interface RequestDetails {
  readonly key?: string;
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
  readonly receivedAt?: number;
}
