import { timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { configError } from '../../../internal/index.js';

/** The public URL of the desk. Everything about HTTPS follows from it. */
export interface PublicUrl {
  readonly origin: string;
  /** The host with its port, as browsers send it. */
  readonly host: string;
  readonly isHttps: boolean;
  /** Without a slash at the end; empty at the root. */
  readonly path: string;
  /** The complete URL, without a slash at the end. */
  readonly href: string;
}

/** Parses the option `publicUrl`; `null` without one. */
export function parsePublicUrl(publicUrl: string | undefined): PublicUrl | null {
  if (publicUrl === undefined) return null;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw configError('publicUrl must be an address such as https://help.example.com/desk.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const isHttps = url.protocol === 'https:';
  return { origin: url.origin, host: url.host, isHttps, path, href: `${url.origin}${path}` };
}

/**
 * Rejects requests for another host, such as those of a page whose name an attacker points at this address (DNS
 * rebinding). A proxy that is trusted may name the host in `X-Forwarded-Host`.
 */
export function requireHost({ host }: PublicUrl): RequestHandler {
  return (request, response, next) => {
    if (request.headers.host === host || request.host === host) next();
    else response.status(421).type('text').send(`This desk is at ${host}. Check the address, or the proxy.`);
  };
}

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
