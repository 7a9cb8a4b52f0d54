import type { EndOptions, Receipt, Replies, ReplyOptions } from '../events/index.js';
import type { Conversation, ConversationFilter, HandoffLifecycle } from '../handoff/index.js';

/** Handed-over conversations, for code outside handlers. */
export interface Conversations {
  /** A conversation as it is now: its user, its transcript, until when to reply, who ended it and why. */
  get(id: string): Promise<Conversation | null>;
  /**
   * Conversations, the last changed first.
   *
   * @example
   * const waiting = await receiver.conversations.list({ states: ['requested', 'waiting'] });
   */
  list(filter?: ConversationFilter): Promise<Conversation[]>;
  /** Says something to the user. Replies to one conversation arrive in the order they were made. */
  reply(id: string, text: string, options?: ReplyOptions): Promise<Receipt>;
  /** Ends a handoff from the human side. Nothing is sent when the platform has ended it already. */
  end(id: string, options?: EndOptions): Promise<Receipt>;
  /** The steps of a conversation's lifecycle, for code that carries conversations into other systems. */
  readonly lifecycle: HandoffLifecycle;
}

/** Creates {@link Conversations}. */
export function createConversations(lifecycle: HandoffLifecycle, replies: Replies): Conversations {
  return {
    get: (id) => lifecycle.store.get(id),
    list: (filter) => lifecycle.store.list(filter),
    reply: (id, text, options) => replies.reply(id, text, options),
    end: (id, options) => replies.end(id, options),
    lifecycle,
  };
}
