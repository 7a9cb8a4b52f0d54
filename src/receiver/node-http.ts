import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { tooLarge, tooSlow } from './body.js';
import {
  type ReadLimits,
  type ReceiverAnswer,
  type ReceiverRequest,
  type Refusal,
  SENDER_HUNG_UP,
} from './exchange.js';
import type { RequestHandling } from './receive.js';

/** Passes a request on to the next handler, as in Express. */
export type NextFunction = (error?: unknown) => void;

/** Handles requests of `node:http` and Express. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: NextFunction,
) => void;

/** Binds a receiver to `node:http` and Express. */
export function createListener({ handle, notFound }: RequestHandling): RequestListener {
  return (request, response, next) => {
    const received = new NodeRequest(request);
    const handling = handle(received, (answer) => sendAnswer(response, answer));
    if (handling) return;
    if (next) next();
    else sendAnswer(response, notFound(received));
  };
}

/** A request to which a logger, a body parser or a hosting platform may have added properties. */
type ExtendedRequest = IncomingMessage & {
  readonly id?: unknown;
  readonly body?: unknown;
  readonly rawBody?: unknown;
};

/** A class with getters: most of them are never read, and V8 shares one shape. */
class NodeRequest implements ReceiverRequest {
  readonly method: string;
  readonly url: string;
  /** Read once: Node builds this object at the first access. */
  readonly headers: IncomingMessage['headers'];
  readonly #request: ExtendedRequest;

  constructor(request: ExtendedRequest) {
    this.method = request.method ?? '';
    this.url = request.url ?? '/';
    this.headers = request.headers;
    this.#request = request;
  }

  get hasRepeatedAuthorization(): boolean {
    return hasRepeatedAuthorization(this.#request);
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get id(): unknown {
    return this.#ownProperty('id');
  }

  get rawBody(): Buffer | undefined {
    const rawBody = this.#ownProperty('rawBody');
    if (typeof rawBody === 'string') return Buffer.from(rawBody);
    return rawBody instanceof Buffer ? rawBody : undefined;
  }

  get parsedBody(): unknown {
    return this.#ownProperty('body');
  }

  get read(): ReceiverRequest['read'] {
    const request = this.#request;
    const isUnread = !request.readableDidRead && !request.readableEnded;
    return isUnread ? (limits) => readStream(request, limits) : null;
  }

  /** Middleware sets own properties; looking through Express's prototypes is slow. */
  #ownProperty(name: 'id' | 'body' | 'rawBody'): unknown {
    return Object.hasOwn(this.#request, name) ? this.#request[name] : undefined;
  }
}

/** Whether there are several `Authorization` headers. In `rawHeaders`, names and values alternate. */
export function hasRepeatedAuthorization({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
}

/** Reads a stream within a size and a time limit. */
export function readStream(
  request: Readable & { readonly complete?: boolean },
  { maxBytes, readTimeoutMs }: ReadLimits,
): Promise<Buffer | Refusal> {
  // A request that was destroyed while its credentials were checked emits no more events.
  if (request.destroyed) return Promise.resolve(SENDER_HUNG_UP);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    // Later chunks are discarded.
    const settle = (result: Buffer | Refusal): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve(result);
    };
    // Most bodies arrive with their headers, and need no timer.
    const timer = request.complete
      ? undefined
      : setTimeout(() => settle(tooSlow(readTimeoutMs)), readTimeoutMs).unref();
    request
      .on('data', (chunk: Buffer) => {
        if (settled) return;
        size += chunk.length;
        if (size > maxBytes) settle(tooLarge(maxBytes));
        else chunks.push(chunk);
      })
      .on('end', () => settle(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
      // A broken connection emits 'close'; 'error' only where there is a listener.
      .on('close', () => settle(SENDER_HUNG_UP));
  });
}

/** Writes an answer, unless something else, such as a timeout middleware, has answered. */
function sendAnswer(response: ServerResponse, { status, headers, body }: ReceiverAnswer): void {
  if (response.headersSent) return;
  response.writeHead(status, headers as Record<string, string | number | string[]>);
  // A string, because Node then sends head and body in one write. Latin-1 where the bytes are those of UTF-8: it saves
  // encoding them.
  response.end(body, headers['content-length'] === body.length ? 'latin1' : 'utf8');
}
