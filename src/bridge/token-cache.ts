/** An access token that expires. */
export interface AccessToken {
  readonly value: string;
  readonly expiresInSeconds: number;
}

/** Access tokens of a helpdesk, kept until shortly before they expire. */
export interface TokenCache {
  /** The token of a key. Concurrent callers share one request for a new one. */
  get(key: string, request: () => Promise<AccessToken>): Promise<string>;
  /** Forgets a token that the helpdesk refused: the next call requests a new one. */
  forget(key: string): void;
}

/** A token is not used in its last minute, in which it could expire on its way. */
const MARGIN_MS = 60_000;
/** Upper bound on tokens in memory; the oldest is forgotten first. */
const MAX_TOKENS = 1_000;

/**
 * Creates a {@link TokenCache}, for helpdesks whose access tokens are refreshed.
 *
 * @example
 * const tokens = createTokenCache();
 * const authorization = async (call) =>
 *   `Bearer ${await tokens.get('agent', async () => {
 *     const { body } = await http({ method: 'POST', path: '/token', json: refresh }, call);
 *     return { value: body.access_token, expiresInSeconds: body.expires_in };
 *   })}`;
 */
export function createTokenCache(): TokenCache {
  const entries = new Map<string, { readonly token: Promise<string>; expiresAt: number }>();

  return {
    get(key, request) {
      const known = entries.get(key);
      if (known && known.expiresAt > Date.now()) return known.token;
      entries.delete(key);
      const requested = request();
      const entry = { token: requested.then(({ value }) => value), expiresAt: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      for (const [oldest] of entries) {
        if (entries.size <= MAX_TOKENS) break;
        entries.delete(oldest);
      }
      requested.then(
        ({ expiresInSeconds }) => {
          entry.expiresAt = Date.now() + expiresInSeconds * 1_000 - MARGIN_MS;
        },
        () => {
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      return entry.token;
    },
    forget: (key) => void entries.delete(key),
  };
}
