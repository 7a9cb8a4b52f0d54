import type { TranscriptItem } from './transcript.js';
import type { User } from './user.js';

/**
 * The state of a handed-over conversation.
 *
 * - `requested`: the platform asked for a human, and was not answered yet.
 * - `waiting`: accepted; no human has replied so far.
 * - `connected`: a human has replied.
 * - `closing`: one side has ended it, and the other is being told.
 * - `closed`: both sides know that it has ended.
 * - `failed`: it could not be brought to a human.
 */
export type ConversationState = 'requested' | 'waiting' | 'connected' | 'closing' | 'closed' | 'failed';

/** The side that ended a conversation: its user, the platform's timeout, a human agent, or this package. */
export type ClosedBy = 'user' | 'timeout' | 'agent' | 'kit';

/** A conversation's place in a human-service system. */
export interface AdapterLink {
  /** The adapter's name. */
  readonly adapter: string;
  /** The system's own id of the conversation, as its webhooks name it. */
  readonly externalId: string;
  /** A page where a human can look at it, or `null`. */
  readonly url: string | null;
  /** More that the adapter wants back with each call, such as the id of a contact. */
  readonly extra: Readonly<Record<string, string>>;
}

/** How a conversation ended. */
export interface Closure {
  readonly by: ClosedBy;
  /** The reason for operators, or `null`. Never what a user wrote. */
  readonly why: string | null;
  readonly at: Date;
}

/** One handed-over conversation. */
export interface Conversation {
  /** The platform's id of the handoff. */
  readonly id: string;
  /** 1, and one more each time the platform hands the same id over again after an end. */
  readonly session: number;
  readonly state: ConversationState;
  /** Grows with every change: an update names the version it is based on. */
  readonly version: number;
  readonly user: User;
  readonly botId: string | null;
  /** What was said before the handoff. Empty after the end, unless the delivery keeps content. */
  readonly transcript: readonly TranscriptItem[];
  /** The idempotency key of the request: a repeat of the same request has the same. */
  readonly requestKey: string;
  readonly requestedAt: Date;
  /** The platform ends the handoff when it has no first reply by then. */
  readonly replyBy: Date;
  /** When the platform was first given something to show to the user. */
  readonly firstReplyAt: Date | null;
  /** The human agent's name, where the human-service system tells. */
  readonly agent: string | null;
  readonly link: AdapterLink | null;
  readonly closure: Closure | null;
  readonly changedAt: Date;
}
