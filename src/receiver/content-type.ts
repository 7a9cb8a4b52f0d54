import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';
import { type Refusal, refuse } from './refusal.js';

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
const UTF8 = /^utf-?8$/i;

/** Accepts uncompressed JSON in UTF-8; refuses anything else by its headers. */
export function checkContentType(headers: IncomingHttpHeaders): Refusal | null {
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
