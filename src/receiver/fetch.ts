import { tooLarge, tooSlow } from './body.js';
import {
  type ReadLimits,
  type ReceiverAnswer,
  type ReceiverRequest,
  type Refusal,
  SENDER_HUNG_UP,
} from './exchange.js';
import type { RequestHandling } from './receive.js';

/** The part of a Fetch server's context that the receiver uses. */
export interface FetchContext {
  /**
   * Keeps the process running for work after the answer, such as greetings and observers of probes. For hosts that stop
   * a process once it has answered; Cloudflare's context has it, and so does `after` of Next.
   */
  readonly waitUntil?: (work: Promise<void>) => void;
}

/** Handles a Fetch request. Servers that pass something else as the context, as Next does, may do so. */
export type FetchHandler = (request: Request, context?: FetchContext | object) => Promise<Response>;

/** Binds a receiver to Fetch: Next, Hono, SvelteKit, Deno, Bun. */
export function createFetch({ handle, notFound }: RequestHandling): FetchHandler {
  return async (request, context) => {
    const received = fromFetch(request);
    return (await respond(handle, received, context)) ?? toResponse(notFound(received));
  };
}

/** Handles a request and resolves to its response; `null` if the path is not the receiver's. */
export function respond(
  handle: RequestHandling['handle'],
  received: ReceiverRequest,
  context: FetchContext | object = {},
): Promise<Response | null> {
  return new Promise((resolve) => {
    const handling = handle(received, (answer) => resolve(toResponse(answer)));
    if (!handling) return resolve(null);
    if ('waitUntil' in context && typeof context.waitUntil === 'function') context.waitUntil(handling);
    // Without an answer, the sender has hung up and does not see this response.
    void handling.then(() => resolve(new Response(null, { status: 499 })));
  });
}

/** A request of Fetch. Several `Authorization` headers arrive joined by commas, which matches no scheme. */
export function fromFetch(request: Request): ReceiverRequest {
  return {
    method: request.method,
    url: pathOf(request.url),
    headers: Object.fromEntries(request.headers),
    read: request.bodyUsed ? null : (limits) => readWebStream(request.body, limits),
  };
}

/** The path with its query. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The response of an answer. All headers are given at once: some servers then need no `Headers` at all. */
function toResponse({ status, headers, body }: ReceiverAnswer): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const isRepeated = pairs.length > Object.keys(headers).length;
  return new Response(body, { status, headers: isRepeated ? new Headers(pairs) : Object.fromEntries(pairs) });
}

/** Reads a stream within a size and a time limit. */
async function readWebStream(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, readTimeoutMs }: ReadLimits,
): Promise<Uint8Array | Refusal> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<Refusal>((resolve) => {
    timer = setTimeout(() => resolve(tooSlow(readTimeoutMs)), readTimeoutMs);
  });
  const bytes = async (): Promise<Uint8Array | Refusal> => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks, size);
      size += value.length;
      if (size > maxBytes) return tooLarge(maxBytes);
      chunks.push(value);
    }
  };
  // Reading fails only if the connection breaks.
  const result = await Promise.race([bytes().catch(() => SENDER_HUNG_UP), timeout]);
  clearTimeout(timer);
  // The rest is not read.
  if (!(result instanceof Uint8Array)) void reader.cancel().catch(() => undefined);
  return result;
}
