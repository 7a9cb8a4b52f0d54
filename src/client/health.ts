import { checkDuration, checkOptionNames, type HttpResult, sendRequest } from '../internal/index.js';
import { HEALTH_INTERVAL_MS, HEALTHY } from '../protocol/index.js';
import { type Clock, sleepUnlessAborted } from './clock.js';
import { CALL_OPTIONS, type CallOptions, type ClientSettings, ENDPOINTS, timeoutOf } from './options.js';
import { abortedFailure } from './parse-response.js';
import { PlatformError } from './platform-error.js';

/** Why the platform is unavailable: a wrong status or body, no answer in time, or a failed connection. */
export type UnavailableReason = 'status' | 'body' | 'timeout' | 'unreachable' | 'lost';

/** The result of one health probe. */
export interface PlatformHealth {
  /** True if the platform answered 200 with the contract's text. */
  readonly available: boolean;
  /** The HTTP status, or `null` if there was no answer. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** Absent if the platform is available. */
  readonly reason?: UnavailableReason;
}

/**
 * Probes the health endpoint once, without the API key. A probe is never retried, because a retry would hide an
 * outage. Throws only when the caller's signal aborts it.
 */
export async function probeHealth(
  settings: ClientSettings,
  options: CallOptions = {},
): Promise<PlatformHealth> {
  const { clock, fetch, urlOf } = settings;
  const endpoint = ENDPOINTS.health;
  const startedAt = clock.now();
  const result = await sendRequest(fetch, {
    url: urlOf(endpoint),
    method: endpoint.method,
    headers: async () => new Headers({ accept: 'text/plain' }),
    body: null,
    timeoutMs: timeoutOf({ ...settings, timeoutMs: null }, endpoint, options),
    signal: options.signal,
  });
  if (result.kind === 'aborted') throw new PlatformError(abortedFailure(endpoint, 'not-applied'));
  const status = result.kind === 'answered' ? result.status : null;
  const latencyMs = Math.max(0, clock.now() - startedAt);
  const reason = unavailableReason(result);
  return reason ? { available: false, status, latencyMs, reason } : { available: true, status, latencyMs };
}

function unavailableReason(result: Exclude<HttpResult, { kind: 'aborted' }>): UnavailableReason | null {
  if (result.kind === 'untrusted') return 'unreachable';
  if (result.kind !== 'answered') return result.kind;
  if (result.status !== 200) return 'status';
  return result.text.trim() === HEALTHY ? null : 'body';
}

export interface HealthWatchOptions extends CallOptions {
  /** Called with the first result, and then whenever the platform becomes available or unavailable. */
  readonly onChange: (health: PlatformHealth, previous: PlatformHealth | null) => void | Promise<void>;
  /** Called with errors from `onChange`, which do not stop the watch. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Time from the start of one probe to the start of the next. Default: 20 s, as the platform recommends. */
  readonly intervalMs?: number | undefined;
}

export interface HealthWatch {
  /** The result of the last probe, or `null` before the first result. */
  readonly current: PlatformHealth | null;
  /** After this, neither probes nor calls of `onChange` start. */
  stop(): void;
}

const warn = (error: unknown): void => {
  const name = error instanceof Error ? error.name : typeof error;
  process.emitWarning(`onChange of a health watch failed (${name}). Give the watch an onError to see more.`);
};

/** Probes repeatedly, one probe at a time, until it is stopped. */
export function watchHealth(
  probe: (options: CallOptions) => Promise<PlatformHealth>,
  clock: Clock,
  options: HealthWatchOptions,
): HealthWatch {
  checkOptionNames('watch', options, [...CALL_OPTIONS, 'onChange', 'onError', 'intervalMs']);
  const intervalMs = checkDuration('intervalMs', options.intervalMs ?? HEALTH_INTERVAL_MS);
  if (options.timeoutMs !== undefined) checkDuration('timeoutMs', options.timeoutMs);
  const controller = new AbortController();
  const { signal } = controller;
  let current: PlatformHealth | null = null;

  const stop = (): void => {
    options.signal?.removeEventListener('abort', stop);
    controller.abort();
  };
  const reportError = (error: unknown): void => {
    try {
      (options.onError ?? warn)(error);
    } catch (failure) {
      warn(failure);
    }
  };
  const reportChange = async (health: PlatformHealth, previous: PlatformHealth | null): Promise<void> => {
    try {
      await options.onChange(health, previous);
    } catch (error) {
      reportError(error);
    }
  };
  const probeOnce = async (): Promise<void> => {
    const health = await probe({ signal, timeoutMs: options.timeoutMs });
    if (signal.aborted) return;
    const previous = current;
    current = health;
    // Not awaited: a slow callback must not delay the next probe.
    if (previous?.available !== health.available) void reportChange(health, previous);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const startedAt = clock.now();
      await probeOnce();
      const rest = Math.max(0, intervalMs - (clock.now() - startedAt));
      if (!(await sleepUnlessAborted(clock, rest, signal, { background: true }))) return;
    }
  };

  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  run().catch((error: unknown) => {
    // stop() aborts a running probe, which is not an error.
    if (!signal.aborted) reportError(error);
  });
  return {
    get current() {
      return current;
    },
    stop,
  };
}
