import type { WebhookEndpoint } from '../protocol/index.js';
import type { PostResult } from '../simulator/sending/index.js';
import type { WireBody } from './deliveries.js';
import type { Session } from './session.js';
import { headersOf, urlOf } from './target.js';

/** Calls an endpoint by a method that the service never uses. */
export async function byMethod(
  { target, timeoutMs, count }: Session,
  method: 'GET' | 'PUT',
  endpoint: WebhookEndpoint,
  body: WireBody | null,
): Promise<PostResult> {
  count();
  const began = Date.now();
  const latencyMs = () => Date.now() - began;
  try {
    const response = await fetch(urlOf(target, endpoint), {
      method,
      headers: { ...headersOf(target, endpoint), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text, latencyMs: latencyMs(), error: null };
  } catch {
    return { status: null, headers: {}, text: '', latencyMs: latencyMs(), error: `no answer to ${method}` };
  }
}
