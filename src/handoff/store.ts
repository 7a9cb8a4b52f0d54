import type { Conversation } from '../events/index.js';
import type { ConversationChange, ConversationFilter, NewConversation } from './conversation.js';

export interface CreateConversationResult {
  readonly conversation: Conversation;
  /** `false` if it already existed. */
  readonly created: boolean;
}

/**
 * Stores handed-over conversations and a bridge's state: idempotency keys, cursors, and leases on periodic tasks. It
 * uses the delivery's database, which all processes share. Every call is atomic.
 */
export interface HandoffStore {
  /** Creates a conversation in state `requested`, unless its id exists. */
  create(conversation: NewConversation): Promise<CreateConversationResult>;
  get(id: string): Promise<Conversation | null>;
  /** The latest conversation with this id in an adapter's helpdesk. */
  findByLink(adapter: string, externalId: string): Promise<Conversation | null>;
  /** Changes a conversation if it still has this version; `null` if not, or if it does not exist. */
  update(id: string, version: number, change: ConversationChange): Promise<Conversation | null>;
  list(filter?: ConversationFilter): Promise<Conversation[]>;
  /** Remembers a key for `keepMs`; `false` if it is already remembered. */
  addIdempotencyKey(key: string, keepMs: number): Promise<boolean>;
  hasIdempotencyKey(key: string): Promise<boolean>;
  removeIdempotencyKey(key: string): Promise<void>;
  /** The position of a reader, or `null`. */
  cursor(name: string): Promise<string | null>;
  /** Moves a reader, if it is still at `from`; `false` if it is not. */
  moveCursor(name: string, from: string | null, to: string): Promise<boolean>;
  /** Takes or extends the lease on a task, so that one process runs it; `false` if another has it. */
  lease(name: string, owner: string, forMs: number): Promise<boolean>;
  /** Ends the lease on a task. */
  release(name: string, owner: string): Promise<void>;
  /** Removes the conversations of a user, by any of their ids. Resolves to how many. */
  forget(userId: string): Promise<number>;
  /** Removes conversations that ended before a time, and expired keys. Resolves to how many conversations. */
  prune(closedBefore: Date): Promise<number>;
}
