import type { EndOptions, Receipt, Replies, ReplyOptions } from '../events/index.js';
import type { Conversation, ConversationFilter, HandoffLifecycle } from '../handoff/index.js';

/** Handed-over conversations, for code outside handlers. */
export interface Conversations {
  /** Looks up a conversation. */
  get(id: string): Promise<Conversation | null>;
  /**
   * Lists conversations, the last changed first.
   *
   * @example
   * const waiting = await receiver.conversations.list({ states: ['requested', 'waiting'] });
   */
  list(filter?: ConversationFilter): Promise<Conversation[]>;
  /** Replies to the user. Replies to one conversation arrive in the order of the calls. */
  reply(id: string, text: string, options?: ReplyOptions): Promise<Receipt>;
  /** Ends a handoff as an agent. Sends nothing if the platform has already ended it. */
  end(id: string, options?: EndOptions): Promise<Receipt>;
  /** The lifecycle, for code that carries conversations into other systems. */
  readonly lifecycle: HandoffLifecycle;
}

export function createConversations(lifecycle: HandoffLifecycle, replies: Replies): Conversations {
  return {
    get: (id) => lifecycle.store.get(id),
    list: (filter) => lifecycle.store.list(filter),
    reply: (id, text, options) => replies.reply(id, text, options),
    end: (id, options) => replies.end(id, options),
    lifecycle,
  };
}
