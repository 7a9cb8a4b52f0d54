import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import type { PublicUrl } from './public-url.js';

/** Whether a request came from the desk's own page. */
export type IsSameOrigin = (request: Request) => boolean;

/**
 * Creates {@link IsSameOrigin} from the headers `Origin` and `Sec-Fetch-Site`. The desk's own origin is that of
 * `publicUrl`; without one, that of the request, seen through `trust proxy` of Express.
 */
export function createSameOrigin(publicUrl: PublicUrl | null): IsSameOrigin {
  const publicOrigin = publicUrl?.origin ?? null;
  return (request) => {
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    if (origin === undefined) return site === 'same-origin';
    if (publicOrigin !== null) return origin === publicOrigin;
    // A proxy may terminate TLS without a header that says so. On HTTPS, a page on HTTP is not the desk's own.
    const schemes = request.secure ? ['https'] : ['https', 'http'];
    const hosts = [request.host, request.headers.host];
    return schemes.some((scheme) => hosts.some((host) => origin === `${scheme}://${host}`));
  };
}

/** Whether a request carries the session's token. */
export function hasToken({ headers }: Pick<Request, 'headers'>, token: string): boolean {
  const given = Buffer.from(String(headers['x-desk-token'] ?? ''));
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
