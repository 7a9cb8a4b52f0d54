import { DEFAULT_BOT } from './bots.js';
import type { DeliveredEvent } from './catalog.js';

/** The user of a handed-over conversation. */
export interface User {
  /**
   * The key for a contact: the developer's user id, else the anonymous id, else the conversation. Never the e-mail
   * address: channels without one send the same placeholder for every user. The same id under two bots is two users:
   * the key begins with the bot's name, unless that is `default`.
   */
  readonly key: string;
  /** The developer's own id of the user. */
  readonly userId: string | null;
  /** The platform's id of an anonymous user. */
  readonly anonymousId: string | null;
  /** The e-mail address, which may be a placeholder shared by many users. */
  readonly email: string | null;
  /** The phone number, from messaging channels only. */
  readonly phone: string | null;
}

/** The user of a conversation that this receiver does not know. */
export const unknownUser = (conversationId: string): User => ({
  key: `conversation:${conversationId}`,
  userId: null,
  anonymousId: null,
  email: null,
  phone: null,
});

/** Reads the user of a handoff request. */
export function userOf(
  event: Pick<DeliveredEvent<'handoff.requested'>, 'bot' | 'conversationId' | 'body'>,
): User {
  const { user_info, email } = event.body;
  return {
    key: userKey(event),
    userId: user_info.user_id,
    anonymousId: user_info.anonymous_id,
    email: user_info.email ?? email,
    phone: user_info.phone,
  };
}

function userKey({ bot, conversationId, body }: Parameters<typeof userOf>[0]): string {
  const { user_id: userId, anonymous_id: anonymousId } = body.user_info;
  const prefix = bot === DEFAULT_BOT ? '' : `${bot}/`;
  if (userId !== null) return `${prefix}user:${userId}`;
  if (anonymousId !== null) return `${prefix}anonymous:${anonymousId}`;
  return `conversation:${conversationId}`;
}
