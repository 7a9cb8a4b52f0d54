import { HandoffKitError } from '../../internal/index.js';

/**
 * The kind of a helpdesk failure, which decides how the bridge continues.
 *
 * - `transient`: retried with backoff.
 * - `rate-limited`: retried after `retryAfterMs`.
 * - `auth`: credentials are wrong or lack a permission. Logged once, and retried rarely until an operator fixes it.
 * - `gone`: the conversation no longer exists. The conversation ends for the user.
 * - `invalid`: the helpdesk rejects the request and would reject it again. Not retried.
 */
export type AdapterErrorKind = 'transient' | 'rate-limited' | 'auth' | 'gone' | 'invalid';

const CODE = {
  transient: 'ADAPTER_TRANSIENT',
  'rate-limited': 'ADAPTER_RATE_LIMITED',
  auth: 'ADAPTER_AUTH',
  gone: 'ADAPTER_GONE',
  invalid: 'ADAPTER_INVALID',
} as const;

/**
 * A failure of a helpdesk. Adapters throw nothing else.
 *
 * @example
 * throw new AdapterError('rate-limited', 'Our Desk allows no more messages.', { retryAfterMs: 30_000 });
 */
export class AdapterError extends HandoffKitError {
  readonly kind: AdapterErrorKind;
  /** How long the helpdesk asks to wait, or `null` when it does not say. */
  readonly retryAfterMs: number | null;

  /** Operators read the message: it must hold no secrets and no text of users. */
  constructor(
    kind: AdapterErrorKind,
    message: string,
    { retryAfterMs = null, ...options }: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super(CODE[kind], message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** For `.catch`: turns a failure of one kind into `null`, and throws any other. */
export const nullIf =
  (kind: AdapterErrorKind) =>
  (error: unknown): null => {
    if (error instanceof AdapterError && error.kind === kind) return null;
    throw error;
  };
