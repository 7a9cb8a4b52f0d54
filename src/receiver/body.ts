import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';
import { isRecord, quoteLargeIntegers } from '../internal/index.js';
import { isRefusal, type ReadLimits, type ReceiverRequest, type Refusal, refuse } from './exchange.js';

/** Limits for a sender who may send nothing but a probe, which is small and comes at once. */
export const PROBE_LIMITS: ReadLimits = { maxBytes: 16_384, readTimeoutMs: 1_000 };

export const tooLarge = (maxBytes: number): Refusal =>
  refuse(413, 'body too large', {
    detail: `the limit is ${maxBytes} bytes (limits.bodyBytes)`,
    closesConnection: true,
  });

export const tooSlow = (readTimeoutMs: number): Refusal =>
  refuse(408, 'body took too long', {
    detail: `the body was not complete after ${readTimeoutMs} ms (limits.readTimeoutMs)`,
    closesConnection: true,
  });

const CONSUMED = refuse(500, 'body not available', {
  detail:
    'something before the receiver read the request body and did not keep it. Mount the receiver before that middleware, or let it keep what it read in req.body or req.rawBody.',
});

/** Refuses a body whose `Content-Length` exceeds the limit, before it is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxBytes: number): Refusal | null {
  const announced = headers['content-length'];
  return announced !== undefined && Number(announced) > maxBytes ? tooLarge(maxBytes) : null;
}

/** The body as bytes, or as a body parser before the receiver has parsed it. */
export async function readBody(request: ReceiverRequest, limits: ReadLimits): Promise<unknown> {
  const { headers, parsedBody } = request;
  const badType = checkContentType(headers);
  if (badType) return badType;
  const bytes = await readBytes(request, limits);
  if (bytes === null) return parsedBody === undefined ? CONSUMED : parsedBody;
  // Some hosting platforms set req.body and leave an empty stream.
  return !isRefusal(bytes) && bytes.length === 0 && hasContent(parsedBody) ? parsedBody : bytes;
}

/** The bytes of the body; `null` if something before the receiver has read them and kept none. */
export async function readBytes(
  { rawBody, parsedBody, read }: ReceiverRequest,
  limits: ReadLimits,
): Promise<Uint8Array | Refusal | null> {
  const kept = rawBody ?? (parsedBody instanceof Uint8Array ? parsedBody : null);
  const bytes = kept ?? (await read?.(limits)) ?? null;
  if (bytes === null || isRefusal(bytes)) return bytes;
  return bytes.length > limits.maxBytes ? tooLarge(limits.maxBytes) : bytes;
}

const hasContent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null
    ? Object.keys(body).length > 0
    : typeof body === 'string' && body !== '';

const JSON_CONTENT_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
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
  if (!JSON_CONTENT_TYPE.test(type)) {
    return refuse(415, 'content type not supported', { detail: 'send content-type: application/json' });
  }
  if (parameters.charset !== undefined && !UTF8.test(parameters.charset)) {
    return refuse(415, 'charset not supported', { detail: 'send the body in UTF-8' });
  }
  return null;
}

export type JsonObject = Record<string, unknown>;

const EMPTY = refuse(400, 'body is empty');
const NOT_UTF8 = refuse(400, 'body is not UTF-8');
const NOT_JSON = refuse(400, 'body is not JSON');
const NOT_AN_OBJECT = refuse(400, 'body is not a JSON object');
const TOO_DEEP = refuse(400, 'body is nested too deeply', { detail: 'see limits.depth' });
const FORBIDDEN_KEY = refuse(400, 'body has a forbidden key', {
  detail: 'a key named __proto__, or constructor.prototype, has no place in an event',
});

/** Decodes bytes as UTF-8, strictly, and keeps large integers exact. The object of a body parser is returned unchanged. */
export function decodeBody(body: unknown): unknown {
  if (typeof body === 'string') return quoteLargeIntegers(body);
  if (!(body instanceof Uint8Array)) return body;
  const bytes = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  const text = bytes.toString();
  // Invalid bytes become U+FFFD, so the slower check runs only for text that contains it.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return NOT_UTF8;
  return quoteLargeIntegers(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
}

/** Body parsers accept it, too. */
const BYTE_ORDER_MARK = '\ufeff';

/** Parses a JSON object strictly, or checks one that a body parser has made. */
export function parseJson(body: unknown, maxDepth: number): JsonObject | Refusal {
  if (typeof body === 'string') return body === '' ? EMPTY : parseText(body, maxDepth);
  return checkObject(body, maxDepth);
}

function parseText(text: string, maxDepth: number): JsonObject | Refusal {
  try {
    return checkObject(JSON.parse(text), maxDepth);
  } catch {
    return NOT_JSON;
  }
}

function checkObject(value: unknown, maxDepth: number): JsonObject | Refusal {
  return isRecord(value) ? (findFault(value, maxDepth) ?? value) : NOT_AN_OBJECT;
}

/** Looks for deep nesting, and for keys that could pollute prototypes. */
function findFault(value: object, depthLeft: number): Refusal | null {
  if (depthLeft === 0) return TOO_DEEP;
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return FORBIDDEN_KEY;
    const child = (value as JsonObject)[key];
    if (typeof child !== 'object' || child === null) continue;
    if (key === 'constructor' && Object.hasOwn(child, 'prototype')) return FORBIDDEN_KEY;
    const fault = findFault(child, depthLeft - 1);
    if (fault) return fault;
  }
  return null;
}
