/** The two queues of a delivery that stores: events that came, and replies that go. */
export type QueueName = 'inbox' | 'outbox';

/** What a queue holds, as its keeper sees it. */
export interface StoredItem {
  readonly id: string;
  readonly queue: QueueName;
  /** `waiting` for its turn or its next attempt, `done`, or `dead`: parked after too many failures. */
  readonly state: 'waiting' | 'done' | 'dead';
  readonly conversationId: string;
  /** The event's name, or `reply` or `close`. */
  readonly what: string;
  /** Attempts begun so far. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly createdAt: Date;
}

/** An item with what is in it. */
export interface StoredItemDetails extends StoredItem {
  /** The event's body, or the reply; `null` once it was done and its content dropped. */
  readonly content: unknown;
}

/** How a queue stands. */
export interface QueueDepth {
  readonly waiting: number;
  readonly dead: number;
  /** When the oldest waiting item came, or `null`. */
  readonly oldestAt: Date | null;
}

/** Which items to list. */
export interface ItemFilter {
  readonly state?: StoredItem['state'];
  readonly conversationId?: string;
  /** At most so many, the oldest first. Default 100. */
  readonly limit?: number;
}

/** Looks into the queues and puts right what got stuck, also while a receiver is at work on them. */
export interface StoredQueues {
  list(queue: QueueName, filter?: ItemFilter): Promise<StoredItem[]>;
  show(queue: QueueName, id: string): Promise<StoredItemDetails | null>;
  /** Lets a dead item be tried again, before what came later in its conversation. `false`: it is not dead. */
  retry(queue: QueueName, id: string): Promise<boolean>;
  /** Removes a dead item. `false`: it is not dead. */
  discard(queue: QueueName, id: string): Promise<boolean>;
  /**
   * Removes everything of a person's conversations: what waits, is dead or done, and the conversations themselves.
   * Tells how many items and conversations that were.
   */
  forget(personId: string): Promise<number>;
  depth(queue: QueueName): Promise<QueueDepth>;
  /** Rejects when nothing can be stored: the database is away, its disk is full, or it may only be read. */
  check(): Promise<void>;
  /** Lets go of the database. */
  close(): Promise<void>;
}
