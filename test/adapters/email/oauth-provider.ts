import type { ServerResponse } from 'node:http';
import { serve } from '../../helpers/serve.js';

/** An OAuth 2 provider that gives numbered access tokens, and stops with the test. */
export interface OAuthProvider {
  readonly tokenUrl: string;
  /** The forms that it was sent. */
  readonly forms: Record<string, string>[];
  /** Answers with an error from now on, or again with tokens. */
  refuse(answer: { readonly status: number; readonly error?: string } | null): void;
}

/** Starts a provider. `issued` is called before a token is given; `extra` is added to the answers. */
export async function startProvider(
  issued: (token: string) => void = () => {},
  extra: Readonly<Record<string, unknown>> = { expires_in: 3_600 },
): Promise<OAuthProvider> {
  const forms: Record<string, string>[] = [];
  let refusal: { readonly status: number; readonly error?: string } | null = null;
  const { url } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(Buffer.concat(chunks).toString(), response));
  });
  const respond = (form: string, response: ServerResponse): void => {
    forms.push(Object.fromEntries(new URLSearchParams(form)));
    response.setHeader('content-type', 'application/json');
    if (refusal) {
      response.statusCode = refusal.status;
      response.end(JSON.stringify({ error: refusal.error, error_description: 'sEcret' }));
      return;
    }
    const access_token = `token-${forms.length}`;
    issued(access_token);
    response.end(JSON.stringify({ access_token, token_type: 'Bearer', ...extra }));
  };
  return {
    tokenUrl: `${url}/tenant/oauth2/v2.0/token`,
    forms,
    refuse(answer) {
      refusal = answer;
    },
  };
}
