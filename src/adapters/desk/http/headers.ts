import type { RequestHandler } from 'express';

/** What the page may load and do: its own files, nothing inline, nothing of others. */
const policy = (frameAncestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    "require-trusted-types-for 'script'",
    'trusted-types',
  ].join('; ');

/** The headers of everything the desk answers. `framedBy` may show it in a frame; nobody else. */
export function deskHeaders(framedBy: 'nobody' | 'same-origin'): RequestHandler {
  const csp = policy(framedBy === 'nobody' ? "'none'" : "'self'");
  return (_request, response, next) => {
    response.set({
      'content-security-policy': csp,
      'x-content-type-options': 'nosniff',
      'x-frame-options': framedBy === 'nobody' ? 'DENY' : 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cache-control': 'no-store',
    });
    next();
  };
}
