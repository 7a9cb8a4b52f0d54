import { z } from 'zod';
import { type AdapterCall, AdapterError, createTokenAuthorization } from '../../bridge/index.js';
import { type HttpResult, parseJsonOrText, readRetryAfter, sendRequest } from '../../internal/index.js';
import type { EmailOAuth } from './settings.js';

/** Access tokens for the logins at the mail servers. */
export interface LoginTokens {
  /** One that does not expire within the next minute. */
  current(call: Pick<AdapterCall, 'signal'>): Promise<string>;
  /** Forgets a token that a server refused. */
  refused(): void;
}

/** All logins share one, so that they do not renew tokens at the same time. */
export function createLoginTokens(oauth: EmailOAuth, timeoutMs: number): LoginTokens {
  /** Microsoft returns a new one with each access token, since one lives for 90 days. */
  let refreshToken = oauth.refreshToken ?? null;
  const authorization = createTokenAuthorization(
    async ({ signal }) => {
      const result = await sendRequest(undefined, {
        url: oauth.tokenUrl,
        method: 'POST',
        headers: async () =>
          new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }),
        body: new URLSearchParams(formOf(oauth, refreshToken)).toString(),
        timeoutMs,
        signal,
      });
      const parsed = result.kind === 'answered' ? answer.safeParse(parseJsonOrText(result.text)) : null;
      if (!parsed?.success) {
        refreshToken = oauth.refreshToken ?? null;
        throw tokenError(result);
      }
      refreshToken = parsed.data.refresh_token ?? refreshToken;
      return { value: parsed.data.access_token, expiresInSeconds: parsed.data.expires_in };
    },
    (token) => ({ token }),
  );
  return {
    current: async (call) => (await authorization.headers(call)).token ?? '',
    refused: () => authorization.refused(),
  };
}

const answer = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().default(3_600),
  refresh_token: z.string().min(1).optional(),
});

const formOf = (
  { clientId, clientSecret, scope }: EmailOAuth,
  refreshToken: string | null,
): Record<string, string> => ({
  ...(refreshToken === null
    ? { grant_type: 'client_credentials' }
    : { grant_type: 'refresh_token', refresh_token: refreshToken }),
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  ...(scope !== undefined && { scope }),
});

/** By the error codes of RFC 6749. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_client: 'Check clientId and clientSecret: the secret may have expired.',
  unauthorized_client: 'Check clientId, and that the app may use this grant.',
  invalid_grant: 'The refresh token has expired, was revoked, or is of another app. Create a new one.',
  invalid_scope: 'Check scope.',
};

function tokenError(result: HttpResult): AdapterError {
  if (result.kind !== 'answered')
    return new AdapterError(
      'transient',
      `The OAuth provider did not answer (${result.kind}). Check tokenUrl.`,
    );
  const { status } = result;
  if (status === 429) {
    const retryAfterMs = readRetryAfter(result.retryAfter, Date.now());
    return new AdapterError('rate-limited', 'The OAuth provider asks to wait.', { retryAfterMs, status });
  }
  if (status === 408 || status >= 500)
    return new AdapterError('transient', `The OAuth provider answered with ${status}.`, { status });
  // Nothing else of the answer: it can quote the request.
  const code = failure.safeParse(parseJsonOrText(result.text)).data?.error;
  const remedy = REMEDIES[code ?? ''] ?? 'Check tokenUrl, clientId, clientSecret and scope.';
  const reason = code === undefined ? String(status) : `${status}, ${code}`;
  return new AdapterError('auth', `The OAuth provider gave no access token (${reason}). ${remedy}`, {
    status,
  });
}

const failure = z.object({ error: z.string().regex(/^[a-z_]{3,40}$/) });
