import { exchange } from '../internal/index.js';
import { ENDPOINTS, type ServiceEndpoint } from './endpoints.js';
import { judge } from './judge.js';
import { type CallOptions, type Settings, timeoutOf } from './options.js';
import { withRetry } from './retry.js';

/** One call of an endpoint. */
export interface Call<Value> {
  readonly endpoint: ServiceEndpoint;
  /** The body to send, already validated; `undefined` for none. */
  readonly body?: unknown;
  /** Takes the value out of the body of a success. */
  readonly read: (body: unknown) => Value;
}

/** Calls an endpoint of the service, again where that is safe, and gives what its answer holds. */
export async function call<Value>(
  settings: Settings,
  { endpoint: name, body, read }: Call<Value>,
  options: CallOptions = {},
): Promise<Value> {
  const { clock, origin, isFailure } = settings;
  const { signal } = options;
  const endpoint = ENDPOINTS[name];
  const request = {
    url: settings.urlOf(endpoint),
    method: endpoint.method,
    headers: () => settings.headersFor(name),
    body: body === undefined ? null : JSON.stringify(body),
    timeoutMs: timeoutOf(settings, endpoint, options),
    signal,
  };
  const bench = { endpoint, origin, isFailure, read, now: () => clock.now() };
  return withRetry(async () => judge(await exchange(settings.fetch, request), bench), {
    policy: settings.retry,
    clock,
    endpoint,
    signal,
  });
}
