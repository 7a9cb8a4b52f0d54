import type { Conversation, ConversationChange, NewConversation } from './conversation.js';

/** A conversation as it is first stored. */
export const firstConversation = (conversation: NewConversation, now: number): Conversation => ({
  id: conversation.id,
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
  agent: null,
  link: null,
  closure: null,
  changedAt: new Date(now),
});

/** Settings of {@link nextConversation}. */
export interface Next {
  readonly now: number;
  /** Whether what was said is kept after the end. */
  readonly keepContent: boolean;
}

/** A conversation after a change. What was said before the handoff is dropped once it has ended. */
export function nextConversation(
  conversation: Conversation,
  change: ConversationChange,
  { now, keepContent }: Next,
): Conversation {
  const next = {
    ...conversation,
    ...change,
    id: conversation.id,
    version: conversation.version + 1,
    changedAt: new Date(now),
  };
  return isOver(next) && !keepContent ? { ...next, transcript: [] } : next;
}

/** Whether nothing more is to be done about a conversation. */
export const isOver = ({ state }: Pick<Conversation, 'state'>): boolean =>
  state === 'closed' || state === 'failed';
