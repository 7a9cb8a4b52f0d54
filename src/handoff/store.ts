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

export const createConversation = (conversation: NewConversation, now: number): Conversation => ({
  ...conversation,
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
