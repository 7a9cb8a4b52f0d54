import type { TranscriptItem, User } from '../events/index.js';
import type { ClosedBy, ConversationState } from './state.js';

/** Where a conversation lives in a human-service system. */
export interface AdapterLink {
  /** The adapter's name. */
  readonly adapter: string;
  /** The system's own id of it, as its webhooks name it. */
  readonly externalId: string;
  /** Where a human can look at it, or `null`. */
  readonly url: string | null;
  /** What else the adapter wants back with each call, such as the id of a contact. */
  readonly extra: Readonly<Record<string, string>>;
}

/** How a conversation ended. */
export interface Closure {
  readonly by: ClosedBy;
  /** In words for operators, or `null`. Never what a user wrote. */
  readonly why: string | null;
  readonly at: Date;
}

/** One handed-over conversation. */
export interface Conversation {
  /** The service's id of the handoff. */
  readonly id: string;
  /** 1, and one more each time the service asks again for the same id after an end. */
  readonly session: number;
  readonly state: ConversationState;
  /** Grows with every change, so that two who change it at once do not overwrite each other. */
  readonly version: number;
  readonly user: User;
  readonly botId: string | null;
  /** What was said before the handoff. Empty once it has ended, unless the delivery is told to keep content. */
  readonly transcript: readonly TranscriptItem[];
  /** The request's key: a second delivery of the same request has the same. */
  readonly requestKey: string;
  readonly requestedAt: Date;
  /** Until then a first reply must have reached the service, else it ends the handoff. */
  readonly replyBy: Date;
  /** When the service was first given something to say to the user, by whomever. */
  readonly firstReplyAt: Date | null;
  /** Who answers, where the human-service system tells. */
  readonly agent: string | null;
  readonly link: AdapterLink | null;
  readonly closure: Closure | null;
  readonly changedAt: Date;
}

/** A conversation as it is first stored. */
export type NewConversation = Pick<
  Conversation,
  'id' | 'user' | 'botId' | 'transcript' | 'requestKey' | 'requestedAt' | 'replyBy'
>;

/** What a change may touch. */
export type ConversationChange = Partial<Omit<Conversation, 'id' | 'version' | 'changedAt'>>;

/** Which conversations to list. */
export interface ConversationFilter {
  readonly states?: readonly ConversationState[];
  /** Of one user, by `user.key`. */
  readonly userKey?: string;
  /** Only those of an adapter. */
  readonly adapter?: string;
  /** Only those last changed before this time. */
  readonly changedBefore?: Date;
  /** Only those that come after this one: the last of a page gives the next page. */
  readonly after?: Pick<Conversation, 'changedAt' | 'id'>;
  /** At most so many, the last changed first. Default 100. */
  readonly limit?: number;
}
