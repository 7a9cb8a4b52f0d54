import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createDeadlines, type Deadlines } from '../internal/index.js';
import { checkContentType } from './content-type.js';
import { type Refusal, refuse } from './refusal.js';

/** A request to which a body parser, or a platform, may have added what it read. */
export type RequestWithBody = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/** How much is read, and for how long. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly readTimeoutMs: number;
  /** The first part of `readTimeoutMs`, in which nearly every body comes. */
  readonly soon: Deadlines;
  /** The rest of it. */
  readonly late: Deadlines;
}

/** How long a body may take until somebody looks whether its sender is still there. */
const SOON_MS = 50;

/** Makes {@link ReadLimits}. */
export function createReadLimits(maxBytes: number, readTimeoutMs: number): ReadLimits {
  const soonMs = Math.min(SOON_MS, readTimeoutMs / 2);
  return {
    maxBytes,
    readTimeoutMs,
    soon: createDeadlines(soonMs),
    late: createDeadlines(readTimeoutMs - soonMs),
  };
}

/** The sender went away: nobody is left to answer. */
export const HUNG_UP = refuse(499, 'client closed the request', { detail: 'the sender hung up mid-body' });

const tooLarge = (maxBytes: number): Refusal =>
  refuse(413, 'body too large', {
    detail: `the limit is ${maxBytes} bytes (limits.bodyBytes)`,
    hangUp: true,
  });

const tooSlow = (readTimeoutMs: number): Refusal =>
  refuse(408, 'body took too long', {
    detail: `the body was not complete after ${readTimeoutMs} ms (limits.readTimeoutMs)`,
    hangUp: true,
  });

const CONSUMED = refuse(500, 'body not available', {
  detail:
    'something before the receiver read the request body and left no req.body. Mount the receiver before that middleware, or let it keep what it read in req.body or req.rawBody.',
});

/** Refuses a body that announces itself as too large, before any of it is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxBytes: number): Refusal | null {
  const announced = headers['content-length'];
  return announced !== undefined && Number(announced) > maxBytes ? tooLarge(maxBytes) : null;
}

/** The body as bytes, or as whatever a body parser before the receiver has made of it; or a promise of that. */
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
  // A parser that took something else for an object, such as a form, has not made an event of it.
  const badType = checkContentType({ 'content-type': headers['content-type'] });
  if (badType) return badType;
  return body instanceof Buffer ? withinLimit(body, limits.maxBytes) : body;
}

/** Who sets a body sets it on the request itself; to look for it in all that Express puts behind it is slow. */
const ownProperty = (request: RequestWithBody, name: 'body' | 'rawBody'): unknown =>
  Object.hasOwn(request, name) ? request[name] : undefined;

const withinLimit = (bytes: Buffer, maxBytes: number): Buffer | Refusal =>
  bytes.length > maxBytes ? tooLarge(maxBytes) : bytes;

const isEmpty = (read: Buffer | Refusal): boolean => read instanceof Buffer && read.length === 0;

/** Some platforms set req.body and hand over a stream that has nothing in it. */
const hasContent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null
    ? Object.keys(body).length > 0
    : typeof body === 'string' && body !== '';

/**
 * Reads a stream up to a size and within a time. Nearly every body comes with the head of its request; only who takes
 * longer is watched for going away, which costs more than to read.
 */
export function readStream(
  request: IncomingMessage,
  { maxBytes, readTimeoutMs, soon, late }: ReadLimits,
): Promise<Buffer | Refusal> {
  // Who hung up while the credentials were judged sends no more events that could end the wait below.
  if (request.destroyed) return Promise.resolve(HUNG_UP);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;

    // What comes after that flows on into nothing, until the answer is out and the connection is closed.
    const settle = (result: Buffer | Refusal): void => {
      if (settled) return;
      settled = true;
      deadline.clear();
      resolve(result);
    };
    const watch = (): void => {
      if (request.destroyed) {
        settle(HUNG_UP);
        return;
      }
      deadline = late.start(() => settle(tooSlow(readTimeoutMs)));
      // A broken connection closes the request; an error is told only to those who listen for one.
      request.on('close', () => settle(HUNG_UP));
    };
    let deadline = soon.start(watch);
    request
      .on('data', (chunk: Buffer) => {
        if (settled) return;
        size += chunk.length;
        if (size > maxBytes) settle(tooLarge(maxBytes));
        else chunks.push(chunk);
      })
      .on('end', () => settle(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  });
}
