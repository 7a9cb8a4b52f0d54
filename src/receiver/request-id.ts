import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Other ids from outside are ignored. */
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

const isAcceptable = (id: unknown): id is string => typeof id === 'string' && ACCEPTABLE.test(id);

/**
 * Gives each request an id: the one that a logger before the receiver has set (`req.id`), the one that the sender or a
 * proxy sent (`X-Request-Id`), or a new one.
 */
export function createRequestIds(): (
  request: IncomingMessage & { readonly id?: unknown },
  headers?: IncomingHttpHeaders,
) => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return (request, headers = request.headers) => {
    const id = Object.hasOwn(request, 'id') ? request.id : undefined;
    const known = typeof id === 'number' ? String(id) : id;
    if (isAcceptable(known)) return known;
    const given = headers['x-request-id'];
    if (isAcceptable(given)) return given;
    count += 1;
    return `${prefix}-${count}`;
  };
}
