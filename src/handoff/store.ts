import type {
  Conversation,
  ConversationChange,
  ConversationFilter,
  NewConversation,
} from './conversation.js';

/** What became of a {@link HandoffStore.create}. */
export interface CreateResult {
  /** The one that is stored now. */
  readonly conversation: Conversation;
  /** Whether this call stored it; `false` when it was there before. */
  readonly created: boolean;
}

/**
 * Keeps handed-over conversations, and what those who carry them elsewhere must remember. It lives in the
 * database of the delivery, so that all processes on it agree. Every call is one atomic step.
 */
export interface HandoffStore {
  /** Stores a conversation in state `requested`, unless its id is there already. */
  create(conversation: NewConversation): Promise<CreateResult>;
  get(id: string): Promise<Conversation | null>;
  /** The conversation that an adapter knows under an id of its own; the latest, should there be several. */
  findByLink(adapter: string, externalId: string): Promise<Conversation | null>;
  /** Changes a conversation if nobody else has since `version`; `null` when somebody has, or it is gone. */
  update(id: string, version: number, change: ConversationChange): Promise<Conversation | null>;
  list(filter?: ConversationFilter): Promise<Conversation[]>;
  /** Notes a fact under a key, for `keepMs`. `false` when it was noted before. */
  addIdempotencyKey(key: string, keepMs: number): Promise<boolean>;
  /** Whether a fact was noted, and its time has not passed. */
  hasIdempotencyKey(key: string): Promise<boolean>;
  /** Takes a note back. */
  removeIdempotencyKey(key: string): Promise<void>;
  /** How far somebody has read, or `null`. */
  cursor(name: string): Promise<string | null>;
  /** Reads on, if it still stands where the caller thinks; `false` when it does not. */
  moveCursor(name: string, from: string | null, to: string): Promise<boolean>;
  /** Takes or keeps a task for a time, so that only one process does it; `false` when another has it. */
  lease(name: string, owner: string, forMs: number): Promise<boolean>;
  /** Lets go of a task. */
  release(name: string, owner: string): Promise<void>;
  /** Removes a person's conversations, by any id of theirs. Tells how many. */
  forget(personId: string): Promise<number>;
  /** Removes conversations that ended before a time, and notes whose time has passed. Tells how many conversations. */
  prune(endedBefore: Date): Promise<number>;
}
