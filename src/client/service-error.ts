import { HandoffKitError } from '../internal/index.js';
import type { ServiceEndpoint } from './endpoints.js';

/** What can go wrong in a call of the service. */
export const SERVICE_ERROR_CODES = [
  /** The request never reached the service: no connection, no such host, or no trust in its certificate. */
  'SERVICE_UNREACHABLE',
  /** No answer in time. */
  'SERVICE_TIMEOUT',
  /** The connection broke before the answer was complete. */
  'CONNECTION_LOST',
  /** Something failed after the request was sent, and calling again might do it twice. */
  'OUTCOME_UNKNOWN',
  /** The service said no; the same call will get the same answer. */
  'SERVICE_REFUSED',
  /** The service does not accept the API key. */
  'SERVICE_AUTH_FAILED',
  /** Too many requests; `retryAfterMs` says how long to wait, if the service said so. */
  'RATE_LIMITED',
  /** The service failed by its own account. */
  'SERVICE_FAILED',
  /** The service said yes in a form that cannot be read. */
  'BAD_ANSWER',
  /** The caller's signal ended the call. */
  'ABORTED',
] as const;

/** What went wrong in a call of the service. */
export type ServiceErrorCode = (typeof SERVICE_ERROR_CODES)[number];

/** Whether a failed call may have had its effect all the same. */
export type ServiceOutcome = 'not-applied' | 'unknown';

/** Everything a {@link ServiceError} says. */
export interface ServiceErrorDetails {
  readonly code: ServiceErrorCode;
  readonly message: string;
  readonly endpoint: ServiceEndpoint;
  readonly outcome: ServiceOutcome;
  readonly retryable: boolean;
  readonly status?: number | null;
  readonly serviceCode?: number | null;
  readonly retryAfterMs?: number | null;
  readonly attempts?: number;
}

/**
 * A call of the service failed. It carries neither the API key, nor a header, nor what was said: a cause found
 * by `fetch` is reduced to its error code.
 */
export class ServiceError extends HandoffKitError {
  declare readonly code: ServiceErrorCode;
  /** The endpoint that was called. */
  readonly endpoint: ServiceEndpoint;
  /** Whether the call may have had its effect all the same, counting all attempts. */
  readonly outcome: ServiceOutcome;
  /** Whether calling again later can succeed, and cannot do anything twice. */
  readonly retryable: boolean;
  /** The HTTP status of the last answer, or `null` when there was none. */
  readonly status: number | null;
  /** The service's own number for the error, or `null` when it gave none. */
  readonly serviceCode: number | null;
  /** How long the service asks to wait, in milliseconds, or `null` when it does not say. */
  readonly retryAfterMs: number | null;
  /** How often the call was tried. */
  readonly attempts: number;

  constructor(details: ServiceErrorDetails) {
    super(details.code, details.message);
    this.endpoint = details.endpoint;
    this.outcome = details.outcome;
    this.retryable = details.retryable;
    this.status = details.status ?? null;
    this.serviceCode = details.serviceCode ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.attempts = details.attempts ?? 1;
  }
}
