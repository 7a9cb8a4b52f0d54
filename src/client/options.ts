import type { TraceCarrier } from '../diagnostics/index.js';
import { checkDuration, checkOptionNames, configError, type Fetch } from '../internal/index.js';
import { HEALTH_TIMEOUT_MS, PLATFORM_PATHS } from '../protocol/index.js';
import type { Clock } from './clock.js';

export interface PlatformClientOptions {
  /** The platform's address, before `/v1`. It depends on the bot's data centre, so there is no default. */
  readonly baseUrl: string;
  /** The key from the bot's API key page. It also selects the bot. */
  readonly apiKey: string;
  /**
   * Headers to add to every request except health probes, or a function that is called for each attempt. An
   * `authorization` here replaces the default `Bearer <apiKey>`.
   *
   * @example headers: { 'x-tenant': 'acme' }
   */
  readonly headers?: HeadersOption | undefined;
  /**
   * Whether a 2xx answer is a failure. Default: it is not JSON, or its `code` has five digits or more, is an HTTP error
   * status or is negative. Other statuses are always failures, and so are answers that lack their lists.
   */
  readonly isFailure?: ((body: unknown, status: number) => boolean) | undefined;
  /** Replaces the global `fetch`. It must obey the `signal` in its second argument. */
  readonly fetch?: Fetch | undefined;
  /** Time limit of one attempt. Default: 15 s, or 30 s for calls that read files or probe webhooks. */
  readonly timeoutMs?: number | undefined;
  /**
   * How calls are retried; `false` for never. Default: 3 retries within 30 s.
   *
   * @example retry: { retries: 5 }
   */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
}

export interface CallOptions {
  /** Aborts the call, also while it waits to retry. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt. */
  readonly timeoutMs?: number | undefined;
  /** Called right before each attempt, after any wait; `false` aborts the call, as the signal does. */
  readonly maySend?: (() => boolean) | undefined;
  /** Headers that continue a stored reply's trace; published on `node:diagnostics_channel`, not sent. */
  readonly trace?: TraceCarrier | undefined;
}

/** When and how often a call is retried. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** The first delay. Each further delay is twice as long; jitter cuts up to half of each. */
  readonly minDelayMs: number;
  /** The longest delay, unless the platform asks for more. */
  readonly maxDelayMs: number;
  /** No attempt starts later than this after the first. */
  readonly maxElapsedMs: number;
}

/** Headers by name; `null` removes a default header. */
export type HeaderValues = Readonly<Record<string, string | null>>;

/** Headers to send, or a function that is called for each attempt of a call. */
export type HeadersOption =
  | HeaderValues
  | ((endpoint: PlatformEndpoint) => HeaderValues | Promise<HeaderValues>);

/** Validated, with defaults. */
export interface ClientSettings {
  readonly origin: string;
  readonly urlOf: (endpoint: EndpointRules) => string;
  readonly headersFor: (endpoint: PlatformEndpoint) => Promise<Headers>;
  readonly isFailure: ((body: unknown, status: number) => boolean) | null;
  /** The application's own, instead of the global one. */
  readonly fetch: Fetch | undefined;
  readonly timeoutMs: number | null;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
}

const DEFAULT_RETRY: RetryPolicy = { retries: 3, minDelayMs: 250, maxDelayMs: 5_000, maxElapsedMs: 30_000 };

const CLIENT_OPTIONS: readonly (keyof PlatformClientOptions)[] = [
  'baseUrl',
  'apiKey',
  'headers',
  'isFailure',
  'fetch',
  'timeoutMs',
  'retry',
];

/** Checks all options at start-up, not in the first conversation. */
export function readOptions(given: PlatformClientOptions, clock: Clock): ClientSettings {
  // A JavaScript caller may pass nothing.
  const options: Partial<PlatformClientOptions> = given ?? {};
  checkOptionNames('platform', options, CLIENT_OPTIONS);
  if (options.retry) checkOptionNames('platform.retry', options.retry, Object.keys(DEFAULT_RETRY));
  const { origin, prefix } = readBaseUrl(options.baseUrl);
  if (!options.fetch) checkPort(origin);
  return {
    origin,
    urlOf: ({ path }) => `${origin}${prefix}${path}`,
    headersFor: readHeaders(readApiKey(options.apiKey), options.headers),
    isFailure: options.isFailure ?? null,
    fetch: options.fetch,
    timeoutMs: options.timeoutMs === undefined ? null : checkDuration('timeoutMs', options.timeoutMs),
    retry: readRetry(options.retry),
    clock,
  };
}

export const CALL_OPTIONS: readonly (keyof CallOptions)[] = ['signal', 'timeoutMs', 'maySend', 'trace'];

/** The time limit of one attempt: the call's, else the client's, else the endpoint's default. */
export function timeoutOf(settings: ClientSettings, endpoint: EndpointRules, call: CallOptions): number {
  checkOptionNames(endpoint.name, call, CALL_OPTIONS);
  if (call.timeoutMs !== undefined) return checkDuration('timeoutMs', call.timeoutMs);
  return settings.timeoutMs ?? endpoint.timeoutMs;
}

function readBaseUrl(baseUrl: unknown): { readonly origin: string; readonly prefix: string } {
  if (typeof baseUrl !== 'string' || baseUrl.trim() === '') {
    throw configError(
      "baseUrl is missing: set the platform's address, such as https://api.example.com. " +
        "There is no default, because it depends on your bot's data centre.",
    );
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw configError('baseUrl must be a full http or https address, such as https://api.example.com.');
  }
  if (url.username !== '' || url.password !== '') {
    throw configError('baseUrl must not contain a user name or a password: pass the key as apiKey instead.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw configError(
      'baseUrl must not have a query or a fragment: remove "?" or "#" and everything after it.',
    );
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** The ports of other protocols, to which the Fetch standard forbids requests. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

function checkPort(origin: string): void {
  const { port } = new URL(origin);
  if (!BLOCKED_PORTS.has(Number(port))) return;
  throw configError(`baseUrl has the port ${port}, which fetch blocks. Use another port, such as 4000.`);
}

/** Errors never show the key. */
function readApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw configError("apiKey is missing: copy it from your bot's API key page.");
  }
  if (/[\r\n]/.test(apiKey)) {
    throw configError('apiKey contains a line break, probably pasted along with the key. Remove it.');
  }
  if (/^bearer\s/i.test(apiKey)) {
    throw configError('apiKey begins with the word "Bearer": pass only the key.');
  }
  if (/\s/.test(apiKey)) {
    throw configError('apiKey contains a space or a tab: copy the key again, without the surrounding text.');
  }
  if (/[^\x21-\x7e]/.test(apiKey)) {
    throw configError('apiKey contains a character that headers do not allow: copy the key again.');
  }
  return apiKey;
}

function readRetry(option: PlatformClientOptions['retry'] = {}): RetryPolicy {
  if (option === false) return { ...DEFAULT_RETRY, retries: 0 };
  const policy = { ...DEFAULT_RETRY, ...option };
  if (!Number.isInteger(policy.retries) || policy.retries < 0) {
    throw configError('retry.retries must be a whole number, 0 or more.');
  }
  checkDuration('retry.minDelayMs', policy.minDelayMs);
  checkDuration('retry.maxDelayMs', policy.maxDelayMs);
  checkDuration('retry.maxElapsedMs', policy.maxElapsedMs);
  return policy;
}

function readHeaders(apiKey: string, option: HeadersOption = {}): ClientSettings['headersFor'] {
  const defaults = (): Headers =>
    new Headers({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
    });
  if (typeof option === 'function') return async (endpoint) => overlay(defaults(), await option(endpoint));
  // Checks the values at start-up.
  overlay(defaults(), option);
  return async () => overlay(defaults(), option);
}

function overlay(headers: Headers, values: HeaderValues): Headers {
  for (const [name, value] of Object.entries(values)) {
    try {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    } catch {
      // The original error quotes the value, which may be a secret.
      throw configError(
        `The header "${name}" of the headers option cannot be sent: its name or value contains a character ` +
          'that headers do not allow, such as a line break.',
      );
    }
  }
  return headers;
}

/** An endpoint of the platform's API. */
export type PlatformEndpoint = keyof typeof PLATFORM_PATHS;

/** How an endpoint is called. */
export interface EndpointRules {
  readonly name: PlatformEndpoint;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Whether the call is idempotent. If not, a call whose outcome is unknown is never repeated. */
  readonly idempotent: boolean;
  /** The default time limit of one attempt. */
  readonly timeoutMs: number;
}

/** Longer than Node's connect timeout of 10 s, so that an address without a server is reported as unreachable. */
const TALK_TIMEOUT_MS = 15_000;

/** For endpoints that read files or probe webhooks before they answer. */
const WORK_TIMEOUT_MS = 30_000;

const rules = (
  name: PlatformEndpoint,
  method: EndpointRules['method'],
  idempotent: boolean,
  timeoutMs: number,
): EndpointRules => ({ name, method, path: PLATFORM_PATHS[name], idempotent, timeoutMs });

/** A repeated `reply` reaches the user twice, and a repeated `addQa` creates a second document. */
export const ENDPOINTS: Readonly<Record<PlatformEndpoint, EndpointRules>> = {
  reply: rules('reply', 'POST', false, TALK_TIMEOUT_MS),
  close: rules('close', 'POST', true, TALK_TIMEOUT_MS),
  addQa: rules('addQa', 'POST', false, WORK_TIMEOUT_MS),
  updateQa: rules('updateQa', 'PUT', true, WORK_TIMEOUT_MS),
  checkWebhooks: rules('checkWebhooks', 'POST', true, WORK_TIMEOUT_MS),
  health: rules('health', 'GET', true, HEALTH_TIMEOUT_MS),
};
