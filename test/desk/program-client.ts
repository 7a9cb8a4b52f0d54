import type { NewToken, TokenView } from '../../src/desk/api.js';
import type { AgentClient, DeskAnswer } from './agent-client.js';

/** Calls the API as a program. */
export interface ProgramClient extends NewToken {
  call<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<DeskAnswer<Body>>;
}

/** Creates a token as an administrator, and a client that uses it. */
export async function createProgram(
  url: string,
  administrator: AgentClient,
  token: Partial<Pick<TokenView, 'name' | 'role' | 'expiresAt'>> = {},
): Promise<ProgramClient> {
  const request = { name: 'CRM', role: 'agent', expiresAt: null, ...token };
  const answer = await administrator.send('POST', '/api/admin/tokens', request);
  if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.body)}`);
  const created = answer.body as NewToken;
  return { ...created, call: callerOf(url, { authorization: `Bearer ${created.token}` }) };
}

/** Calls the API with these headers alone. */
export const callerOf =
  (url: string, credentials: Record<string, string>): ProgramClient['call'] =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/desk${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
