import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from './refusal.js';

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/i;
const UTF8 = /^"?utf-?8"?$/i;

/** JSON in UTF-8, not compressed, is all that is read; anything else is refused by its headers. */
export function checkContentType(headers: IncomingHttpHeaders): Refusal | null {
  const type = headers['content-type'];
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return refuse(415, 'content encoding not supported', { detail: 'send the body uncompressed' });
  }
  if (type === 'application/json') return null;
  if (type === undefined)
    return refuse(415, 'content type missing', { detail: 'send content-type: application/json' });
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim());
  if (!JSON_TYPE.test(essence)) {
    return refuse(415, 'content type not supported', { detail: 'send content-type: application/json' });
  }
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice('charset='.length);
  if (charset !== undefined && !UTF8.test(charset)) {
    return refuse(415, 'charset not supported', { detail: 'send the body in UTF-8' });
  }
  return null;
}
