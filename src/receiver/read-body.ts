import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import { type Refusal, refuse } from './answer.js';

/** A request to which a body parser, or a hosting platform, may have added a body. */
export type RequestWithBody = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/** Limits of reading a body. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly readTimeoutMs: number;
}

/** Limits for a sender who may send nothing but a probe, which is small and comes at once. */
export const PROBE_LIMITS: ReadLimits = { maxBytes: 16_384, readTimeoutMs: 1_000 };

/** The sender hung up: no answer is sent. */
export const SENDER_HUNG_UP = refuse(499, 'client closed the request', {
  detail: 'the sender hung up mid-body',
});

const tooLarge = (maxBytes: number): Refusal =>
  refuse(413, 'body too large', {
    detail: `the limit is ${maxBytes} bytes (limits.bodyBytes)`,
    closesConnection: true,
  });

const tooSlow = (readTimeoutMs: number): Refusal =>
  refuse(408, 'body took too long', {
    detail: `the body was not complete after ${readTimeoutMs} ms (limits.readTimeoutMs)`,
    closesConnection: true,
  });

const CONSUMED = refuse(500, 'body not available', {
  detail:
    'something before the receiver read the request body and left no req.body. Mount the receiver before that middleware, or let it keep what it read in req.body or req.rawBody.',
});

/** Refuses a body whose `Content-Length` exceeds the limit, before it is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxBytes: number): Refusal | null {
  const announced = headers['content-length'];
  return announced !== undefined && Number(announced) > maxBytes ? tooLarge(maxBytes) : null;
}

/** The body as bytes, or as `req.body` of a body parser before the receiver. */
export function readBody(
  request: RequestWithBody,
  headers: IncomingHttpHeaders,
  limits: ReadLimits,
): unknown {
  const rawBody = ownProperty(request, 'rawBody');
  if (rawBody instanceof Buffer) return withinLimit(rawBody, limits.maxBytes);
  const body = ownProperty(request, 'body');
  if (!request.readableDidRead && !request.readableEnded) {
    const badType = checkContentType(headers);
    if (badType) return badType;
    const bytes = readStream(request, limits);
    return hasContent(body) ? bytes.then((read) => (isEmpty(read) ? body : read)) : bytes;
  }
  if (body === undefined || body === null) return CONSUMED;
  // A body parser may have parsed something other than JSON, such as a form.
  const badType = checkContentType({ 'content-type': headers['content-type'] });
  if (badType) return badType;
  return body instanceof Buffer ? withinLimit(body, limits.maxBytes) : body;
}

/** Body parsers set own properties; looking through Express's prototypes is slow. */
const ownProperty = (request: RequestWithBody, name: 'body' | 'rawBody'): unknown =>
  Object.hasOwn(request, name) ? request[name] : undefined;

const withinLimit = (bytes: Buffer, maxBytes: number): Buffer | Refusal =>
  bytes.length > maxBytes ? tooLarge(maxBytes) : bytes;

const isEmpty = (read: Buffer | Refusal): boolean => read instanceof Buffer && read.length === 0;

/** Some hosting platforms set req.body and leave an empty stream. */
const hasContent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null
    ? Object.keys(body).length > 0
    : typeof body === 'string' && body !== '';

/** Reads a stream within a size and a time limit. */
export function readStream(
  request: IncomingMessage,
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
    const timer = setTimeout(() => settle(tooSlow(readTimeoutMs)), readTimeoutMs).unref();
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

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
const UTF8 = /^utf-?8$/i;

/** Accepts uncompressed JSON in UTF-8; refuses anything else by its headers. */
function checkContentType(headers: IncomingHttpHeaders): Refusal | null {
  const header = headers['content-type'];
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return refuse(415, 'content encoding not supported', { detail: 'send the body uncompressed' });
  }
  // The usual form; skips parsing.
  if (header === 'application/json') return null;
  if (header === undefined) {
    return refuse(415, 'content type missing', { detail: 'send content-type: application/json' });
  }
  const { type, parameters } = parse(header);
  if (!JSON_TYPE.test(type)) {
    return refuse(415, 'content type not supported', { detail: 'send content-type: application/json' });
  }
  if (parameters.charset !== undefined && !UTF8.test(parameters.charset)) {
    return refuse(415, 'charset not supported', { detail: 'send the body in UTF-8' });
  }
  return null;
}
