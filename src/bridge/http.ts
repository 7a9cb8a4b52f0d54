import {
  configError,
  exchange,
  type Fetch,
  type HttpExchange,
  parseJsonOrText,
  readRetryAfter,
} from '../internal/index.js';
import type { AdapterCall } from './adapter.js';
import { AdapterError, type AdapterErrorKind } from './adapter-error.js';

/** Settings of {@link createAdapterHttp}. */
export interface AdapterHttpOptions {
  /** Who is asked, for messages: `Request Tracker`. */
  readonly system: string;
  /** Where its API is. */
  readonly baseUrl: string;
  /** Sent with each request; credentials go here. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long an answer may take. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch;
}

/** A request to a human-service system. */
export interface AdapterHttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, with its query. Ids in it must be encoded. */
  readonly path: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of a human-service system. */
export interface AdapterHttpAnswer {
  readonly status: number;
  /** The body: its JSON where it is JSON, its text where not. */
  readonly body: unknown;
}

/** Asks a human-service system. Whatever goes wrong is an {@link AdapterError} of the right kind. */
export type AdapterHttp = (
  request: AdapterHttpRequest,
  call: Pick<AdapterCall, 'signal'>,
) => Promise<AdapterHttpAnswer>;

/**
 * Makes the client of an adapter: JSON over `fetch`, a time limit on every request, no redirects (they would
 * carry the credentials elsewhere), answers of bounded size, and errors that hold neither secrets nor words.
 */
export function createAdapterHttp({
  system,
  baseUrl,
  headers,
  timeoutMs = 10_000,
  fetch = globalThis.fetch,
}: AdapterHttpOptions): AdapterHttp {
  const base = checkedBase(system, baseUrl);
  return async ({ method, path, json, headers: more }, { signal }) => {
    const outcome = await exchange(fetch, {
      url: `${base}${path}`,
      method,
      headers: async () =>
        new Headers({
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...more,
        }),
      body: json === undefined ? null : JSON.stringify(json),
      timeoutMs,
      signal,
    });
    return judge(system, `${method} ${withoutQuery(path)}`, outcome);
  };
}

function judge(system: string, what: string, outcome: HttpExchange): AdapterHttpAnswer {
  if (outcome.kind !== 'answered') {
    const why =
      'errorCode' in outcome && outcome.errorCode ? `${outcome.kind}, ${outcome.errorCode}` : outcome.kind;
    throw new AdapterError('transient', `${system} did not answer ${what} (${why}).`);
  }
  const { status, text, tooLarge } = outcome;
  if (status >= 200 && status < 300 && !tooLarge) return { status, body: parseJsonOrText(text) };
  const retryAfterMs = readRetryAfter(outcome.retryAfter, Date.now());
  throw new AdapterError(kindOf(status), `${system} answered ${what} with ${status}.`, { retryAfterMs });
}

/** What a status means, unless a system uses it otherwise. */
function kindOf(status: number): AdapterErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'gone';
  if (status === 429) return 'rate-limited';
  if (status === 408 || status === 425 || status >= 500) return 'transient';
  return 'invalid';
}

function checkedBase(system: string, baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw configError(`${system}: the address must be a URL that begins with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw configError(`${system}: leave user and password out of the address; they belong in the settings.`);
  }
  return baseUrl.replace(/\/+$/, '');
}

const withoutQuery = (path: string): string => path.replace(/\?.*$/s, '');
