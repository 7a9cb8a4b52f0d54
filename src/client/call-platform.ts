import { channels, type PlatformMessage, traceStep } from '../diagnostics/index.js';
import { delayAfter, type HttpResult, type OutgoingRequest, sendRequest } from '../internal/index.js';
import { invalidBody } from '../protocol/index.js';
import { type Clock, sleepUnlessAborted } from './clock.js';
import {
  type CallOptions,
  type ClientSettings,
  ENDPOINTS,
  type EndpointRules,
  type PlatformEndpoint,
  type RetryPolicy,
  timeoutOf,
} from './options.js';
import { abortedFailure, type CallResult, parseResponse } from './parse-response.js';
import { PlatformError } from './platform-error.js';

export interface PlatformCall<Value> {
  readonly endpoint: PlatformEndpoint;
  /** The validated body to send; `undefined` for none. */
  readonly body?: unknown;
  /** Extracts the value from a successful answer; throws a `ValidationError` if it is missing. */
  readonly readBody: (body: unknown) => Value;
}

/** Calls an endpoint, retries where that cannot repeat an effect, and returns the answer's value. */
export async function callPlatform<Value>(
  settings: ClientSettings,
  { endpoint: name, body, readBody }: PlatformCall<Value>,
  options: CallOptions = {},
): Promise<Value> {
  const { clock, origin, isFailure } = settings;
  const { signal, maySend } = options;
  const endpoint = ENDPOINTS[name];
  const sent = { headers: new Headers(), body };
  const request = {
    url: settings.urlOf(endpoint),
    method: endpoint.method,
    headers: async () => (sent.headers = await settings.headersFor(name)),
    body: body === undefined ? null : toJson(body),
    timeoutMs: timeoutOf(settings, endpoint, options),
    signal,
    maySend,
  };
  const spec = { endpoint, origin, isFailure, readBody, sent, now: () => clock.now() };
  let sends = 0;
  const send = (): Promise<HttpResult> =>
    traceRequest(name, request, sends++, () => sendRequest(settings.fetch, request));
  const retry = { policy: settings.retry, clock, endpoint, signal };
  return withRetry(async () => parseResponse(await send(), spec), retry);
}

function traceRequest(
  endpoint: PlatformEndpoint,
  { method, url }: OutgoingRequest,
  resends: number,
  send: () => Promise<HttpResult>,
): Promise<HttpResult> {
  if (!channels.platform.hasSubscribers) return send();
  const message: PlatformMessage = { endpoint, method, url, resends, status: null, failure: null };
  return traceStep(channels.platform, message, async () => {
    const result = await send();
    if (result.kind === 'answered') message.status = result.status;
    else message.failure = result.kind;
    return result;
  });
}

/** Unknown fields of a validated body may have values that JSON cannot express. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw invalidBody(
      '',
      'expected values that JSON can express: no BigInt, and no object that contains itself',
    );
  }
}

interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly endpoint: EndpointRules;
  readonly signal: AbortSignal | undefined;
}

/**
 * Attempts a call until it succeeds, fails for good, or exhausts the policy. The failure decides whether to retry:
 * `retryable` is never true if a second attempt could repeat an effect.
 */
async function withRetry<Value>(
  attempt: () => Promise<CallResult<Value>>,
  { policy, clock, endpoint, signal }: RetryContext,
): Promise<Value> {
  const startedAt = clock.now();
  let mayHaveTakenEffect = false;
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result.ok) return result.value;

    // An earlier attempt may have taken effect, however later attempts failed.
    mayHaveTakenEffect ||= result.failure.outcome === 'unknown';
    const outcome = mayHaveTakenEffect ? 'unknown' : 'not-applied';
    // The platform's `Retry-After` counts if it is longer.
    const delay = Math.max(delayAfter(attempts, policy, clock.random()), result.failure.retryAfterMs ?? 0);
    const isTooLate = clock.now() - startedAt + delay > policy.maxElapsedMs;
    if (!result.failure.retryable || attempts > policy.retries || isTooLate) {
      throw new PlatformError({ ...result.failure, outcome, attempts });
    }
    if (!(await sleepUnlessAborted(clock, delay, signal))) {
      throw new PlatformError({ ...abortedFailure(endpoint, outcome), attempts });
    }
  }
}
