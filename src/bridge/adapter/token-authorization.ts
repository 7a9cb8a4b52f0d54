import type { AdapterCall } from './adapter-types.js';

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
 * const accounts = createAdapterHttp({ system: 'Our Desk', baseUrl: accountsUrl, headers: {} });
 * const authorization = createTokenAuthorization(async (call) => {
 *   const { body } = await accounts({ method: 'POST', path: '/token', form: refresh }, call);
 *   return { value: body.access_token, expiresInSeconds: body.expires_in };
 * });
 * const http = createAdapterHttp({ system: 'Our Desk', baseUrl, headers: {}, authorization });
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
