import type { ServiceClient } from '../client/index.js';
import type { DeliveredEvent, FailurePlace, HandlerRun, Replies } from '../events/index.js';
import type { HandoffStore } from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import type { Shelf } from './shelf.js';
import type { StoredQueues } from './stored-queues.js';

/**
 * What became of an event that was handed over.
 *
 * - `handled`: its handlers have finished.
 * - `late`: they are still running, but the sender has waited long enough.
 * - `stored`: it is safe, and will be handled.
 * - `duplicate`: it came before and was taken care of.
 * - `failed`: a handler threw; the sender may send it again.
 * - `full`: there is no room for more at the moment; the sender may send it again.
 * - `unavailable`: it could not be stored; the sender may send it again.
 */
export type Acceptance = 'handled' | 'late' | 'stored' | 'duplicate' | 'failed' | 'full' | 'unavailable';

/** What a delivery needs from its receiver. */
export interface DeliveryHost {
  /**
   * Runs an event's handlers. Rejects when one of them failed, which has been reported by then; no promise when all
   * are done at once.
   */
  handle(event: DeliveredEvent, run: HandlerRun): Promise<void> | undefined;
  /** Sends the greeting of a handoff, where one is set. Never rejects. */
  greet(event: DeliveredEvent<'handoff.requested'>): Promise<void>;
  /** Tells operators and developers of a failure that is the delivery's own. */
  report(error: unknown, place: FailurePlace): void;
  /** For the delivery's own lines. */
  readonly log: Log;
}

/** How things stand. */
export interface DeliveryStats {
  /** Events that are accepted and not yet handled. */
  readonly pending: number;
  /** Events remembered so that a second delivery has no second effect. */
  readonly remembered: number;
}

/** What happens between "accepted" and "handled". The receiver does not know which kind it has. */
export interface Delivery {
  /** Called once, before anything is accepted. */
  start(host: DeliveryHost): void;
  /** Whether an event is a repeat of one that was taken care of. */
  seen(event: DeliveredEvent): boolean | Promise<boolean>;
  /** Keeps replies until the service has them; without it they are sent straight away. */
  createReplies?(client: ServiceClient | null): Replies;
  /** Takes charge of an event. After `handled`, `late`, `stored` or `duplicate` the sender is answered 200. */
  accept(event: DeliveredEvent): Promise<Acceptance> | Acceptance;
  /** Lets what runs finish, within a time; then aborts it. Tells how many were left unfinished. */
  stop(options: { readonly timeoutMs: number }): Promise<{ readonly unfinished: number }>;
  /** How things stand. */
  stats(): DeliveryStats;
  /** What is stored, where something is. */
  readonly queues?: StoredQueues;
  /** Where handed-over conversations are kept; without it, in the receiver's memory. */
  readonly handoffs?: HandoffStore;
  /** Room for what else must be kept; without it, in the receiver's memory. */
  readonly shelf?: Shelf;
}
