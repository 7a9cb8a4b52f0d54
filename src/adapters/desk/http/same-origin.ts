import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { configError } from '../../../internal/index.js';

/** Whether a request came from the desk's own page. */
export type IsSameOrigin = (request: Request) => boolean;

/**
 * Makes {@link IsSameOrigin}: a browser says it by `Origin` and `Sec-Fetch-Site`. The page's own address is that of
 * the request, seen through `trust proxy` of Express, or the one that the desk was told.
 */
export function createSameOrigin(publicUrl?: string): IsSameOrigin {
  const known = publicUrl === undefined ? null : originOf(publicUrl);
  return (request) => {
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    if (origin === undefined) return site === 'same-origin';
    if (origin === known) return true;
    // A proxy may speak HTTPS for us without telling; a page of HTTP is never the page of one of HTTPS.
    const schemes = request.secure ? ['https'] : ['https', 'http'];
    const hosts = [request.host, request.headers.host];
    return schemes.some((scheme) => hosts.some((host) => origin === `${scheme}://${host}`));
  };
}

function originOf(publicUrl: string): string {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.origin;
  throw configError('publicUrl must be an address such as https://help.example.com/desk.');
}

/** Whether a change carries the session's token. */
export function hasToken({ headers }: Pick<Request, 'headers'>, token: string): boolean {
  const given = Buffer.from(String(headers['x-desk-token'] ?? ''));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
