import type { EndOptions, Receipt, Replies, ReplyOptions } from '../events/index.js';
import type { Conversation, ConversationFilter, HandoffLifecycle } from '../handoff/index.js';

/** Handed-over conversations, from outside a handler. */
export interface Conversations {
  /** How a conversation stands: its user, what was said before, until when to reply, who ended it and why. */
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
  /** Ends a handoff from the human side. Where the service has ended it before, nothing is sent. */
  end(id: string, options?: EndOptions): Promise<Receipt>;
  /** The steps of a conversation's lifecycle, for what carries conversations elsewhere. */
  readonly lifecycle: HandoffLifecycle;
}

/** Makes {@link Conversations}. */
export function createConversations(lifecycle: HandoffLifecycle, replies: Replies): Conversations {
  return {
    get: (id) => lifecycle.store.get(id),
    list: (filter) => lifecycle.store.list(filter),
    reply: (id, text, options) => replies.reply(id, text, options),
    end: (id, options) => replies.end(id, options),
    lifecycle,
  };
}
