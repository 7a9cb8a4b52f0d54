import type { z } from 'zod';
import {
  configError,
  type Fetch,
  type HttpResult,
  parseJsonOrText,
  readRetryAfter,
  sendRequest,
} from '../../internal/index.js';
import { type AdapterCall, AdapterError, type AdapterErrorKind } from './adapter-types.js';
import { readAs } from './checks.js';

export interface AdapterHttpOptions {
  /** The helpdesk's name in error messages, such as `Request Tracker`. */
  readonly helpdesk: string;
  /** The base URL of its API. */
  readonly baseUrl: string;
  /** Sent with every request. Credentials belong here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Access tokens that expire, of `createTokenAuthorization`. */
  readonly authorization?: TokenAuthorization;
  /** Time limit of one request. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** The largest response, for a helpdesk that returns whole conversations. Default 1 MiB. */
  readonly maxResponseBytes?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** A request to the helpdesk's API. */
export interface AdapterHttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Appended to the base URL, with the query. Encode ids with `encodeURIComponent`. */
  readonly path: string;
  /** Sent as a JSON body. */
  readonly json?: unknown;
  /** Sent as a form instead, as token endpoints expect. */
  readonly form?: Readonly<Record<string, string>>;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A successful response of the helpdesk's API. */
export interface AdapterHttpResponse {
  readonly status: number;
  /** Parsed when it is JSON, otherwise the text. */
  readonly body: unknown;
}

/** Sends a request to the helpdesk. Every failure is an {@link AdapterError} of the matching kind. */
export type AdapterHttp = (
  request: AdapterHttpRequest,
  call: Pick<AdapterCall, 'signal'>,
) => Promise<AdapterHttpResponse>;

/**
 * Creates the HTTP client of an adapter: JSON over `fetch`, with a timeout on every request, a size limit on
 * responses and no redirects, which would carry the credentials elsewhere. Error messages hold neither secrets nor
 * text of users.
 *
 * @example
 * const http = createAdapterHttp({ helpdesk: 'Our Desk', baseUrl, headers: { authorization: `Bearer ${token}` } });
 * const { body } = await http({ method: 'GET', path: '/me' }, call);
 */
export function createAdapterHttp({
  helpdesk,
  baseUrl,
  headers,
  authorization,
  timeoutMs = 10_000,
  maxResponseBytes,
  fetch = globalThis.fetch,
}: AdapterHttpOptions): AdapterHttp {
  const base = checkedBaseUrl(helpdesk, baseUrl);
  return async ({ method, path, json, form, headers: more }, { signal }) => {
    const credentials = await authorization?.headers({ signal });
    const outcome = await sendRequest(fetch, {
      url: `${base}${path}`,
      method,
      headers: async () =>
        new Headers({
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
          ...credentials,
          ...more,
        }),
      body: bodyOf(json, form),
      timeoutMs,
      maxAnswerBytes: maxResponseBytes,
      signal,
    });
    if (outcome.kind === 'answered' && errorKindOf(outcome.status) === 'auth') authorization?.refused();
    return toResponse(helpdesk, `${method} ${withoutQuery(path)}`, outcome);
  };
}

/** Sends a request and reads the answer with a zod schema. */
export type AdapterReader = <Schema extends z.ZodType>(
  schema: Schema,
  request: AdapterHttpRequest,
  call: Pick<AdapterCall, 'signal'>,
) => Promise<z.output<Schema>>;

/**
 * An answer in another form, as from a wrong address, fails with `invalid` and the
 * remedy.
 *
 * @example
 * const read = createAdapterReader(http, 'Check DESK_URL.');
 * const { name } = await read(z.object({ name: z.string() }), { method: 'GET', path: '/me' }, call);
 */
export function createAdapterReader(http: AdapterHttp, remedy: string): AdapterReader {
  return async (schema, request, call) => {
    const { body } = await http(request, call);
    const { method, path } = request;
    return readAs(
      schema,
      body,
      `The answer to ${method} ${withoutQuery(path)} has an unknown form. ${remedy}`,
    );
  };
}

function bodyOf(json: unknown, form: AdapterHttpRequest['form']): string | null {
  if (form) return new URLSearchParams(form).toString();
  return json === undefined ? null : JSON.stringify(json);
}

function toResponse(helpdesk: string, request: string, outcome: HttpResult): AdapterHttpResponse {
  if (outcome.kind !== 'answered') {
    const reason =
      'errorCode' in outcome && outcome.errorCode ? `${outcome.kind}, ${outcome.errorCode}` : outcome.kind;
    throw new AdapterError('transient', `${helpdesk} did not answer ${request} (${reason}).`);
  }
  const { status, text, tooLarge } = outcome;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !tooLarge) return { status, body: parseJsonOrText(text) };
  if (isSuccess) throw new AdapterError('invalid', `${helpdesk} answered ${request} with too large a body.`);
  const retryAfterMs = readRetryAfter(outcome.retryAfter, Date.now());
  throw new AdapterError(errorKindOf(status), `${helpdesk} answered ${request} with ${status}.`, {
    retryAfterMs,
    status,
  });
}

function errorKindOf(status: number): AdapterErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'gone';
  if (status === 429) return 'rate-limited';
  if (status === 408 || status === 425 || status >= 500) return 'transient';
  return 'invalid';
}

function checkedBaseUrl(helpdesk: string, baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw configError(`${helpdesk}: the address must be a URL that begins with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw configError(
      `${helpdesk}: leave user and password out of the address; they belong in the settings.`,
    );
  }
  return baseUrl.replace(/\/+$/, '');
}

/** Queries can hold what users wrote, so error messages leave them out. */
const withoutQuery = (path: string): string => path.replace(/\?.*$/s, '');

/** An access token that expires. */
export interface AccessToken {
  readonly value: string;
  readonly expiresInSeconds: number;
}

/** Credentials that change over time, for `authorization` of `createAdapterHttp`. */
export interface TokenAuthorization {
  /** The headers for a request. Concurrent callers share one request for a new token. */
  headers(call: Pick<AdapterCall, 'signal'>): Promise<Readonly<Record<string, string>>>;
  /** Forgets a token that the helpdesk refused: the next call requests a new one. */
  refused(): void;
}

/** A token is not used in its last minute, in which it could expire on its way. */
const MARGIN_MS = 60_000;

/**
 * Creates a {@link TokenAuthorization}, for helpdesks whose access tokens are refreshed: a token is requested before
 * the first call and again in time, and one that is refused is not used again.
 *
 * @example
 * const tokens = createAdapterHttp({ helpdesk: 'Our Desk', baseUrl: 'https://accounts.example.com', headers: {} });
 * const read = createAdapterReader(tokens, 'Check DESK_URL.');
 * const answer = z.object({ access_token: z.string(), expires_in: z.number() });
 * const authorization = createTokenAuthorization(async (call) => {
 *   const form = { grant_type: 'refresh_token', refresh_token: token };
 *   const { access_token, expires_in } = await read(answer, { method: 'POST', path: '/token', form }, call);
 *   return { value: access_token, expiresInSeconds: expires_in };
 * });
 * const http = createAdapterHttp({ helpdesk: 'Our Desk', baseUrl, headers: {}, authorization });
 */
export function createTokenAuthorization(
  request: (call: Pick<AdapterCall, 'signal'>) => Promise<AccessToken>,
  toHeaders: (token: string) => Readonly<Record<string, string>> = bearer,
): TokenAuthorization {
  let current: { readonly token: Promise<AccessToken>; expiresAt: number } | null = null;

  const renew = (call: Pick<AdapterCall, 'signal'>): Promise<AccessToken> => {
    const entry = { token: request(call), expiresAt: Number.POSITIVE_INFINITY };
    current = entry;
    entry.token.then(
      ({ expiresInSeconds }) => {
        entry.expiresAt = Date.now() + expiresInSeconds * 1_000 - MARGIN_MS;
      },
      () => {
        if (current === entry) current = null;
      },
    );
    return entry.token;
  };

  return {
    async headers(call) {
      const isValid = current !== null && current.expiresAt > Date.now();
      const { value } = await (isValid && current ? current.token : renew(call));
      return toHeaders(value);
    },
    refused() {
      current = null;
    },
  };
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

/** The form in which OAuth 2.0 exchanges a refresh token for an access token. */
export const refreshTokenForm = ({
  clientId,
  clientSecret,
  refreshToken,
}: Readonly<Record<'clientId' | 'clientSecret' | 'refreshToken', string>>): Readonly<
  Record<string, string>
> => ({
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
  client_id: clientId,
  client_secret: clientSecret,
});
