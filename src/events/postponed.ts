import { HandoffKitError } from '../internal/index.js';

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
