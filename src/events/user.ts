import type { HandoffRequest } from '../protocol/index.js';

/** The user of a handed-over conversation. */
export interface User {
  /**
   * The key for a contact: the developer's user id, else the anonymous id, else the conversation. Never the e-mail
   * address: channels without one send the same placeholder for every user.
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
  key: userKey(null, null, conversationId),
  userId: null,
  anonymousId: null,
  email: null,
  phone: null,
});

/** Reads the user of a handoff request. */
export function userOf({ user_info, email, conversation_id }: HandoffRequest): User {
  return {
    key: userKey(user_info.user_id, user_info.anonymous_id, conversation_id),
    userId: user_info.user_id,
    anonymousId: user_info.anonymous_id,
    email: user_info.email ?? email,
    phone: user_info.phone,
  };
}

function userKey(userId: string | null, anonymousId: string | null, conversationId: string): string {
  if (userId !== null) return `user:${userId}`;
  if (anonymousId !== null) return `anonymous:${anonymousId}`;
  return `conversation:${conversationId}`;
}
