import type { RequestHandler } from 'express';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The page may load its own files only; inline code is forbidden. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  next();
};

/**
 * Refuses requests from other sites. The page has no login, so the `Host` header must be a known name, which
 * stops DNS rebinding, and an `Origin` header must name this server.
 */
export function requireSameOrigin(allowedHosts: readonly string[]): RequestHandler {
  const names = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())]);
  return (request, response, next) => {
    const host = request.headers.host ?? '';
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isKnownHost = names.has(hostName(host));
    const isOwnOrigin = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    if (isKnownHost && isOwnOrigin && isOwnSite) {
      next();
      return;
    }
    const message = isKnownHost
      ? 'this request comes from another site: use the page that the simulator serves'
      : 'unknown Host: open the page at localhost, or name this host in the option allowedHosts';
    response.status(403).json({ code: 'FORBIDDEN', message });
  };
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
