import type { Conversation, ConversationState } from '../events/index.js';

export type NewConversation = Pick<
  Conversation,
  'id' | 'bot' | 'user' | 'botId' | 'transcript' | 'requestKey' | 'requestedAt' | 'replyBy'
>;

/** The fields that an update may set. */
export type ConversationChange = Partial<Omit<Conversation, 'id' | 'version' | 'changedAt'>>;

/** A filter for conversations. */
export interface ConversationFilter {
  readonly states?: readonly ConversationState[];
  /** A user's conversations, by `user.key`. */
  readonly userKey?: string;
  /** Conversations of an adapter, by its name. */
  readonly adapter?: string;
  /** Whether the conversation is linked to a helpdesk. */
  readonly linked?: boolean;
  /** Last changed before this time. */
  readonly changedBefore?: Date;
  /** Last changed after this time. */
  readonly changedAfter?: Date;
  /** Pass the last conversation of a page to get the next page. */
  readonly after?: Pick<Conversation, 'changedAt' | 'id'>;
  /** The maximum number, the most recently changed first. Default 100. */
  readonly limit?: number;
}

export const createConversation = (conversation: NewConversation, now: number): Conversation => ({
  id: conversation.id,
  bot: conversation.bot,
  user: conversation.user,
  botId: conversation.botId,
  transcript: conversation.transcript,
  requestKey: conversation.requestKey,
  requestedAt: conversation.requestedAt,
  replyBy: conversation.replyBy,
  session: 1,
  state: 'requested',
  version: 1,
  firstReplyAt: null,
  agentName: null,
  link: null,
  closure: null,
  changedAt: new Date(now),
});

/** Drops the transcript once the conversation has ended, unless `keepContent` is set. */
export function applyConversationChange(
  conversation: Conversation,
  change: ConversationChange,
  { now, keepContent }: { readonly now: number; readonly keepContent: boolean },
): Conversation {
  const next = {
    ...conversation,
    ...change,
    id: conversation.id,
    version: conversation.version + 1,
    changedAt: new Date(now),
  };
  return isFinished(next) && !keepContent ? { ...next, transcript: [] } : next;
}

/** Whether messages can still be exchanged. */
export const isOpen = (state: ConversationState): boolean =>
  state === 'requested' || state === 'waiting' || state === 'connected';

/** Whether no work is left for a conversation. */
export const isFinished = ({ state }: Pick<Conversation, 'state'>): boolean =>
  state === 'closed' || state === 'failed';
