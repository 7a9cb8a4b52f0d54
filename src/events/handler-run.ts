import { HandoffKitError } from '../internal/index.js';

/** One run of an event's handlers. */
export interface HandlerRun {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts when the run is given up. */
  readonly signal: AbortSignal;
  /**
   * Makes sure that the event is still this process's to handle, before the run changes its conversation. Asks the
   * database unless the lease makes that certain, and rejects with {@link ClaimLost} when another process has reclaimed
   * the event. A run that was given up rejects with the reason.
   */
  ensureClaimed?(): Promise<void>;
  /**
   * Whether that is certain, by the time of the lease. Asked in the same turn in which a handler is called: between
   * `ensureClaimed` and the call, a process that begins many events at once may be paused.
   */
  isClaimed?(): boolean;
  /** Runs a task that waits for another system, outside of the worker's slots: other events are handled meanwhile. */
  withoutSlot?<Result>(task: () => Promise<Result>): Promise<Result>;
}

/** The property of a handler's context that has its run. */
export const HANDLER_RUN: unique symbol = Symbol('handler run');

/** The run that a handler's context belongs to. */
export const runOf = (context: object): HandlerRun | undefined =>
  (context as { readonly [HANDLER_RUN]?: HandlerRun })[HANDLER_RUN];

/** Whether a handler was not called because its run was given up: that was reported, or another process continues. */
export const isGivenUp = (error: unknown): boolean =>
  error instanceof HandoffKitError && ['CLAIM_LOST', 'HANDLER_TIMEOUT', 'SHUTTING_DOWN'].includes(error.code);

/**
 * Another process has reclaimed the event, because this one was paused for longer than its lease. The run of its
 * handlers has no effect any more: the other process runs them again.
 */
export class ClaimLost extends HandoffKitError {
  constructor() {
    super(
      'CLAIM_LOST',
      'this process was paused or blocked for longer than its lease, so another one handles the event now. Nothing was stored here. If this happens often, keep the event loop free, or raise leaseMs.',
    );
  }
}

/**
 * Thrown by a handler for an event that it can never handle, however often it tries. The event becomes a dead letter at
 * once instead of after `maxAttempts`, and later events of its conversation continue.
 *
 * @example
 * receiver.on('handoff.message', async ({ text }) => {
 *   if (text.length > crm.maxLength) throw new Unrecoverable('the CRM takes no text of this length');
 *   await crm.note(text);
 * });
 */
export class Unrecoverable extends HandoffKitError {
  constructor(message: string, options: ErrorOptions = {}) {
    super('UNRECOVERABLE', message, options);
  }
}

/**
 * Thrown by a handler that cannot work yet, because a system it needs is down or rate-limited. The event is handled
 * again after the delay, before later events of its conversation. It does not count as a failed attempt, so an outage
 * of hours creates no dead letters.
 *
 * @example
 * receiver.on('message', async ({ text }) => {
 *   if (!(await crm.isUp())) throw new Postponed('the CRM is down', { retryAfterMs: 30_000 });
 *   await crm.note(text);
 * });
 */
export class Postponed extends HandoffKitError {
  /** The delay; `null` leaves it to the delivery's backoff. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { retryAfterMs = null, ...options }: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super('POSTPONED', message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
