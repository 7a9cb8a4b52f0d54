import { HandoffKitError } from '../internal/index.js';

/**
 * Thrown by a handler that cannot do its work yet through no fault of the event: a system it needs is away, or
 * asks to be left alone for a while. The event is handled again after the wait, before later ones of its
 * conversation. It does not count as a failed attempt, so an outage of hours parks nothing.
 */
export class Postponed extends HandoffKitError {
  /** After how long to try again; `null` leaves it to the delivery's own backoff. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { retryAfterMs = null, ...options }: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super('POSTPONED', message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
