import type { TranscriptItem } from './transcript.js';
import type { User } from './user.js';

/**
 * The state of a handed-over conversation.
 *
 * - `requested`: the platform asked for a human and waits for the answer.
 * - `waiting`: accepted; no human has replied so far.
 * - `connected`: a human has replied.
 * - `closing`: one side has ended it; the other does not know yet.
 * - `closed`: both sides know that it has ended.
 * - `failed`: it could not be brought to a human.
 */
export type ConversationState = 'requested' | 'waiting' | 'connected' | 'closing' | 'closed' | 'failed';

/** The side that ended a conversation: its user, the platform's timeout, an agent, or this package. */
export type ClosedBy = 'user' | 'timeout' | 'agent' | 'system';

/** A conversation's place in a helpdesk. */
export interface AdapterLink {
  /** The adapter's name. */
  readonly adapter: string;
  /** The system's own id of the conversation, as its webhooks name it. */
  readonly externalId: string;
  /** The conversation's page in that system, or `null`. */
  readonly url: string | null;
  /** More values that the adapter gets with each call, such as the id of a contact. */
  readonly extra: Readonly<Record<string, string>>;
}

/** How a conversation ended. */
export interface Closure {
  readonly by: ClosedBy;
  /** The reason, for operators, or `null`. Never a user's words. */
  readonly why: string | null;
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
