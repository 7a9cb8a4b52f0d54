import { HandoffKitError } from '../internal/index.js';

/**
 * What kind of failure a human-service system had.
 *
 * - `transient`: it may work a little later.
 * - `rate-limited`: it will work from a time on.
 * - `auth`: credentials are wrong or lack a right; only a person can put that right.
 * - `gone`: the conversation is not there any more.
 * - `invalid`: the system refuses what it was given; the same again would be refused again.
 */
export type AdapterErrorKind = 'transient' | 'rate-limited' | 'auth' | 'gone' | 'invalid';

const CODE = {
  transient: 'ADAPTER_TRANSIENT',
  'rate-limited': 'ADAPTER_RATE_LIMITED',
  auth: 'ADAPTER_AUTH',
  gone: 'ADAPTER_GONE',
  invalid: 'ADAPTER_INVALID',
} as const;

/** A failure of a human-service system, told so that the bridge knows what to do next. */
export class AdapterError extends HandoffKitError {
  readonly kind: AdapterErrorKind;
  /** After how long it may be tried again, where the system says. */
  readonly retryAfterMs: number | null;

  /** The message is for operators: no secrets in it, and nothing that users wrote. */
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
