import { HandoffKitError } from '../internal/index.js';
import type { PlatformEndpoint } from './options.js';

export const PLATFORM_ERROR_CODES = [
  /** The request was not sent: no connection, no such host, or an untrusted certificate. */
  'PLATFORM_UNREACHABLE',
  /** The platform did not answer in time. */
  'PLATFORM_TIMEOUT',
  /** The connection broke before the answer was complete. */
  'CONNECTION_LOST',
  /** The request was sent and then failed; a retry could repeat its effect. */
  'OUTCOME_UNKNOWN',
  /** The platform refused the request; the same call will be refused again. */
  'PLATFORM_REFUSED',
  /** The platform does not accept the API key. */
  'PLATFORM_AUTH_FAILED',
  /** Too many requests; `retryAfterMs` is the requested delay, if any. */
  'RATE_LIMITED',
  /** The platform reports an internal failure, or that it is not available. */
  'PLATFORM_FAILED',
  /** The status means success, but the answer breaks the contract: not JSON, too large, or without its lists. */
  'BAD_ANSWER',
  /** The caller's signal aborted the call. */
  'ABORTED',
] as const;

export type PlatformErrorCode = (typeof PLATFORM_ERROR_CODES)[number];

/**
 * Whether a failed call may have taken effect. It is unknown once the request was sent and the platform neither refused
 * it nor reported success.
 */
export type PlatformOutcome = 'not-applied' | 'unknown';

export interface PlatformErrorDetails {
  readonly code: PlatformErrorCode;
  readonly message: string;
  readonly endpoint: PlatformEndpoint;
  readonly outcome: PlatformOutcome;
  readonly retryable: boolean;
  readonly status?: number | null;
  readonly platformCode?: number | null;
  readonly platformMessage?: string | null;
  readonly retryAfterMs?: number | null;
  readonly attempts?: number;
}

/**
 * A call to the platform failed. The error contains neither the API key, nor headers, nor users' messages, and only the
 * code of a `fetch` error. A call with wrong input rejects with a `ValidationError` before anything is sent.
 *
 * @example
 * try {
 *   await client.reply({ conversationId, text });
 * } catch (error) {
 *   if (error instanceof PlatformError && error.retryable) console.log('later', error.retryAfterMs);
 *   else throw error;
 * }
 */
export class PlatformError extends HandoffKitError {
  declare readonly code: PlatformErrorCode;
  readonly endpoint: PlatformEndpoint;
  /** Whether any attempt of the call may have taken effect. */
  readonly outcome: PlatformOutcome;
  /** Whether a later call can succeed without repeating an effect. */
  readonly retryable: boolean;
  /** The HTTP status of the last answer, or `null` if there was none. */
  readonly status: number | null;
  /** The platform's error code, or `null`. */
  readonly platformCode: number | null;
  /**
   * The platform's explanation, or `null`. It is not part of `message`, because the platform can quote the request; the
   * API key, other headers and users' messages are masked with `***`.
   */
  readonly platformMessage: string | null;
  /** The delay that the platform asks for, in milliseconds, or `null`. */
  readonly retryAfterMs: number | null;
  readonly attempts: number;

  constructor(details: PlatformErrorDetails) {
    super(details.code, details.message);
    this.endpoint = details.endpoint;
    this.outcome = details.outcome;
    this.retryable = details.retryable;
    this.status = details.status ?? null;
    this.platformCode = details.platformCode ?? null;
    this.platformMessage = details.platformMessage ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.attempts = details.attempts ?? 1;
  }
}
