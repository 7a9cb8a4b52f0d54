import { configError, duration, type Fetch } from '../internal/index.js';
import { isFailureBody } from '../protocol/index.js';
import { readApiKey, readBaseUrl } from './check-options.js';
import { type Clock, systemClock } from './clock.js';
import type { EndpointRules } from './endpoints.js';
import { createHeaders, type HeadersFor, type HeadersOption } from './headers.js';
import type { RetryPolicy } from './retry.js';
import { serviceCodeOf } from './service-code.js';

/** How to reach the service. */
export interface ServiceClientOptions {
  /** The address of the service, before `/v1`. There is no default: it depends on the data centre. */
  readonly baseUrl: string;
  /** The key from the API key page of the agent. It also says which agent is meant. */
  readonly apiKey: string;
  /**
   * Headers to add to every request but the health probe, or a function that finds them for each attempt.
   * `authorization` given here replaces the default `Bearer <apiKey>`.
   */
  readonly headers?: HeadersOption | undefined;
  /**
   * Whether an answer with a 2xx status is a failure all the same. By default it is when its `code` has five
   * digits or more. Any other status is a failure in any case.
   */
  readonly isFailure?: ((body: unknown, status: number) => boolean) | undefined;
  /** Replaces the global `fetch`. It gets a signal in its second argument and is expected to obey it. */
  readonly fetch?: Fetch | undefined;
  /** How long one attempt of a call may take; without it 15 s, or 30 s where the service has work to do first. */
  readonly timeoutMs?: number | undefined;
  /** How calls are tried again, or `false` for never. By default 3 more times within 30 s. */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
  /** Replaces time and chance, for tests. */
  readonly clock?: Partial<Clock> | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, also while it waits to try again. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a client, checked and complete. */
export interface Settings {
  readonly origin: string;
  readonly urlOf: (endpoint: EndpointRules) => string;
  readonly headersFor: HeadersFor;
  readonly isFailure: (body: unknown, status: number) => boolean;
  readonly fetch: Fetch;
  readonly timeoutMs: number | null;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
}

const DEFAULT_RETRY: RetryPolicy = {
  retries: 3,
  minDelayMs: 250,
  maxDelayMs: 5_000,
  maxElapsedMs: 30_000,
};

/** Checks the options once, so that a mistake shows when the program starts and not in the first conversation. */
export function readOptions(options: ServiceClientOptions): Settings {
  const { origin, prefix } = readBaseUrl(options.baseUrl);
  return {
    origin,
    urlOf: ({ path }) => `${origin}${prefix}${path}`,
    headersFor: createHeaders(readApiKey(options.apiKey), options.headers),
    isFailure: options.isFailure ?? ((body) => isFailureBody({ code: serviceCodeOf(body) })),
    // Looked up at each call, so that whatever instruments the global fetch later is still used.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs: options.timeoutMs === undefined ? null : duration('timeoutMs', options.timeoutMs),
    retry: readRetry(options.retry),
    clock: { ...systemClock, ...options.clock },
  };
}

/** How long one attempt may take: what the call says, then the client, then the endpoint's own default. */
export function timeoutOf(settings: Settings, endpoint: EndpointRules, call: CallOptions): number {
  if (call.timeoutMs !== undefined) return duration('timeoutMs', call.timeoutMs);
  return settings.timeoutMs ?? endpoint.timeoutMs;
}

function readRetry(option: ServiceClientOptions['retry'] = {}): RetryPolicy {
  if (option === false) return { ...DEFAULT_RETRY, retries: 0 };
  const policy = { ...DEFAULT_RETRY, ...option };
  if (!Number.isInteger(policy.retries) || policy.retries < 0) {
    throw configError('retry.retries must be a whole number, 0 or more.');
  }
  duration('retry.minDelayMs', policy.minDelayMs);
  duration('retry.maxDelayMs', policy.maxDelayMs);
  duration('retry.maxElapsedMs', policy.maxElapsedMs);
  return policy;
}
