import type { RequestHandler } from 'express';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What the page may load and do: its own files, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The headers of everything that a browser shows. */
export const pageHeaders =
  (framedBy: 'nobody' | 'same-origin'): RequestHandler =>
  (_request, response, next) => {
    const ancestors = framedBy === 'nobody' ? "'none'" : "'self'";
    response.set({
      'content-security-policy': `${POLICY}; frame-ancestors ${ancestors}`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    next();
  };

/**
 * Refuses what another site's page asks for. The page acts without a login, so the `Host` must be one that a
 * person typed on purpose (a rebound DNS name is not), and a browser that names an origin must name this one.
 */
export function requireSameOrigin(allowedHosts: readonly string[]): RequestHandler {
  const names = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())]);
  return (request, response, next) => {
    const host = request.headers.host ?? '';
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const knownHost = names.has(hostName(host));
    const ownOrigin = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    const ownSite = site === undefined || site === 'same-origin' || site === 'none';
    if (knownHost && ownOrigin && ownSite) {
      next();
      return;
    }
    const message = knownHost
      ? 'this request comes from another site: use the page that the simulator serves'
      : 'unknown Host: open the page at localhost, or name this host in the option allowedHosts';
    response.status(403).json({ code: 'FORBIDDEN', message });
  };
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
