import { type HttpExchange, exchange } from '../internal/index.js';
import { HEALTHY } from '../protocol/index.js';
import { ENDPOINTS } from './endpoints.js';
import { aborted } from './judge.js';
import { type CallOptions, type Settings, timeoutOf } from './options.js';
import { ServiceError } from './service-error.js';

/** Why the service counts as unavailable. */
export type UnavailableReason = 'status' | 'body' | 'timeout' | 'unreachable' | 'lost';

/** The state of the service's webhook part, as one probe saw it. */
export interface ServiceHealth {
  /** Whether it answered 200 with the words of a working service. */
  readonly available: boolean;
  /** The HTTP status, or `null` when there was no answer. */
  readonly status: number | null;
  /** How long the probe took. */
  readonly latencyMs: number;
  /** Why it counts as unavailable; left out when it is available. */
  readonly reason?: UnavailableReason;
}

/**
 * Asks for the service's health once (4.4), without the API key. Not repeated on failure: a probe says what is,
 * and a second one would hide it. Throws only when the caller's signal ends it.
 */
export async function probeHealth(settings: Settings, options: CallOptions = {}): Promise<ServiceHealth> {
  const { clock, fetch, urlOf } = settings;
  const endpoint = ENDPOINTS.health;
  const started = clock.now();
  const result = await exchange(fetch, {
    url: urlOf(endpoint),
    method: endpoint.method,
    headers: async () => new Headers({ accept: 'text/plain' }),
    body: null,
    timeoutMs: timeoutOf({ ...settings, timeoutMs: null }, endpoint, options),
    signal: options.signal,
  });
  if (result.kind === 'aborted') throw new ServiceError(aborted(endpoint, 'not-applied'));
  const status = result.kind === 'answered' ? result.status : null;
  const latencyMs = Math.max(0, clock.now() - started);
  const reason = whyUnavailable(result);
  return reason ? { available: false, status, latencyMs, reason } : { available: true, status, latencyMs };
}

function whyUnavailable(result: Exclude<HttpExchange, { kind: 'aborted' }>): UnavailableReason | null {
  if (result.kind === 'untrusted') return 'unreachable';
  if (result.kind !== 'answered') return result.kind;
  if (result.status !== 200) return 'status';
  return result.text.trim() === HEALTHY ? null : 'body';
}
