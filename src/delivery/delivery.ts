import type {
  BotDirectory,
  DeliveredEvent,
  DeliveredEventName,
  FailureDetails,
  HandlerRun,
  Replies,
} from '../events/index.js';
import type { HandoffStore } from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import type { QueueAdmin } from './storage/queue-admin.js';
import type { SqlDatabase } from './storage/sql.js';

/**
 * The result of {@link Delivery.accept}.
 *
 * - `handled`: its handlers have finished.
 * - `late`: its handlers are still running, but the acknowledgement deadline has passed, or a handler waits for the
 *   answer.
 * - `stored`: it is stored, and will be handled.
 * - `duplicate`: it was accepted before.
 * - `failed`: a handler threw; the sender may send it again.
 * - `full`: too many events are waiting; the sender may send it again.
 * - `unavailable`: it could not be stored; the sender may send it again.
 */
export type Acceptance = 'handled' | 'late' | 'stored' | 'duplicate' | 'failed' | 'full' | 'unavailable';

/** The receiver, as its delivery uses it. */
export interface DeliveryReceiver {
  /** The receiver's name, by which receivers that share a store are kept apart. */
  readonly name: string;
  /** Whether the receiver has a bot of this name. */
  hasBot(bot: string): boolean;
  /** Runs an event's handlers. Rejects when one failed, after reporting it. */
  handle(event: DeliveredEvent, run: HandlerRun): Promise<unknown>;
  /** Whether a handler is registered for events of this name. */
  handles(name: DeliveredEventName): boolean;
  /**
   * Sends the greeting of a handoff, if one is configured. Called by the delivery, after the request was answered or
   * stored. Rejects when it could not be stored.
   */
  greet(event: DeliveredEvent<'handoff.requested'>): Promise<void>;
  /** Reports a failure to the log and to `onError`. */
  report(error: unknown, place: FailureDetails): void;
  /** The receiver's logger. */
  readonly log: Log;
}

/** The load of a delivery. */
export interface DeliveryStats {
  /** Events that are accepted and not yet handled. */
  readonly pending: number;
  /** The approximate number of keys that are remembered to recognise repeats. */
  readonly remembered: number;
}

/**
 * Takes an event from "accepted" to "handled". Implement it to store events in another system.
 */
export interface Delivery {
  /** Connects the delivery to its receiver. Called once, by `createReceiver`; throws if it belongs to another already. */
  connect(receiver: DeliveryReceiver): void;
  /**
   * Opens the storage, then starts to handle stored events. Called once all handlers are registered. Rejects when the
   * storage cannot be opened. Absent where there is nothing to start.
   */
  start?(): Promise<void>;
  /**
   * The names of a conversation's events that are accepted and not yet handled, in order. Called for handoffs without
   * timestamps, to know whether the conversation is about to end; without it, only handled events count.
   */
  pendingEvents?(conversationId: string): Promise<readonly DeliveredEventName[]>;
  /** Whether an event is a repeat. */
  seen(event: DeliveredEvent): Promise<boolean>;
  /** Creates what sends or stores replies. Without it they are sent directly. */
  createReplies?(bots: BotDirectory): Replies;
  /**
   * Handles or stores an event. After `handled`, `late`, `stored` or `duplicate` the sender is answered 200. Events of a
   * conversation are handled in the order of the calls.
   */
  accept(event: DeliveredEvent): Promise<Acceptance>;
  /**
   * Called after the sender was answered 200: now the platform knows a handed-over conversation, so the user can be
   * greeted and replies can be sent. Resolves when the handlers have finished and that was sent, for hosts that end a
   * process once all its work is done. Absent where the workers of the delivery do it.
   */
  answered?(event: DeliveredEvent): Promise<void>;
  /** Lets running handlers finish within a time, then aborts them. Resolves to how many were left unfinished. */
  stop(options: { readonly timeoutMs: number }): Promise<{ readonly unfinished: number }>;
  /** The current load. */
  stats(): Promise<DeliveryStats>;
  /**
   * Whether the replies of a bot, or of any, wait because the platform refuses the API key or has moved; absent where
   * none are stored.
   */
  isOutboxPaused?(bot?: string): boolean;
  /** Inspects and repairs the stored queues; absent where nothing is stored. */
  readonly queues?: QueueAdmin;
  /** The store of handed-over conversations; absent where they are kept in the receiver's memory. */
  readonly handoffs?: HandoffStore;
  /** The database, for other stores in it; absent where nothing is stored. */
  readonly database?: SqlDatabase;
}
