import { HandoffKitError } from '../internal/index.js';

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
