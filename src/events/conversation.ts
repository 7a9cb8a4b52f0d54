import type { HandoffRequest } from '../protocol/index.js';
import type { DeliveredEvent } from './catalog.js';
import { DEFAULT_BOT } from './identity.js';

/**
 * The state of a handed-over conversation.
 *
 * - `requested`: the platform asked for an agent and waits for the answer.
 * - `waiting`: accepted; no agent has replied so far.
 * - `connected`: an agent has replied.
 * - `closing`: one side has ended it; the other does not know yet.
 * - `closed`: both sides know that it has ended.
 * - `failed`: it could not be brought to an agent.
 */
export type ConversationState = 'requested' | 'waiting' | 'connected' | 'closing' | 'closed' | 'failed';

/** The side that ended a conversation: its user, the platform's timeout, an agent, or this package. */
export type ClosedBy = 'user' | 'timeout' | 'agent' | 'system';

/** A conversation's place in a helpdesk. */
export interface AdapterLink {
  /** The adapter's name. */
  readonly adapter: string;
  /** The helpdesk's own id of the conversation, as its webhooks name it. */
  readonly externalId: string;
  /** The conversation's page there, or `null`. */
  readonly url: string | null;
  /** More values that the adapter gets with each call, such as the id of a contact. */
  readonly extra: Readonly<Record<string, string>>;
}

/** How a conversation ended. */
export interface Closure {
  readonly by: ClosedBy;
  /** The reason, for operators, or `null`. Never a user's words. */
  readonly reason: string | null;
  readonly at: Date;
}

/** One handed-over conversation. */
export interface Conversation {
  /**
   * Its id, unique among all bots: the platform's id of the handoff, or `<bot>/<the platform's id>` in a receiver with
   * several bots.
   */
  readonly id: string;
  /** The platform's bot that requested the handoff, by its name in `createReceiver`; `default` where there is one. */
  readonly bot: string;
  /** 1 for the first handoff of this id; higher after an end and another request. */
  readonly session: number;
  readonly state: ConversationState;
  /** Grows with every change: an update names the version it is based on. */
  readonly version: number;
  readonly user: User;
  readonly botId: string | null;
  /** The messages before the handoff. Empty after the end, unless the delivery has `keepContent`. */
  readonly transcript: readonly TranscriptItem[];
  /** The idempotency key of the request: a repeat of the same request has the same. */
  readonly requestKey: string;
  readonly requestedAt: Date;
  /** The platform ends the handoff when it has no first reply by then. */
  readonly replyBy: Date;
  /** When the first reply was sent, or `null`. */
  readonly firstReplyAt: Date | null;
  /** The agent's name, if the helpdesk provides it. */
  readonly agentName: string | null;
  readonly link: AdapterLink | null;
  readonly closure: Closure | null;
  readonly changedAt: Date;
}

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

/** One message before the handoff. */
export interface TranscriptItem {
  /** The author; `other` for a type that the contract does not name. */
  readonly from: 'user' | 'bot' | 'other';
  /** The text; a bot's answer can be empty. */
  readonly text: string;
}

export function transcriptOf(request: HandoffRequest): TranscriptItem[] {
  return request.body.map(({ text, message_type }) => ({ from: speaker(message_type), text }));
}

function speaker(messageType: string | null): TranscriptItem['from'] {
  if (messageType === 'QUESTION') return 'user';
  if (messageType === 'ANSWER') return 'bot';
  return 'other';
}
