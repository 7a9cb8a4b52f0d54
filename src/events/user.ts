import type { HandoffRequest } from '../protocol/index.js';

/** Who is handed over. */
export interface User {
  /**
   * What to key a contact by: the developer's user id, else the anonymous id, else the conversation. Never
   * the e-mail address: channels without one send the same placeholder for everybody.
   */
  readonly key: string;
  /** The developer's own id of the user. */
  readonly userId: string | null;
  /** The service's id of a user it does not know by name. */
  readonly anonymousId: string | null;
  /** An address, perhaps a shared placeholder. */
  readonly email: string | null;
  /** A number, from messaging channels only. */
  readonly phone: string | null;
}

/** Reads who the user of a handoff is. */
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
