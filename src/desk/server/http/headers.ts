import type { RequestHandler } from 'express';

/** The page may load the desk's own files only, and run no inline code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The page creates one script URL, that of its service worker.
  'trusted-types desk-service-worker',
].join('; ');

/** A year, as browsers' preload lists require. Other hosts of the domain are not the desk's business. */
const HSTS = { 'strict-transport-security': 'max-age=31536000' };

/** Sets the security headers of every answer. With `isHttps`, browsers are told to use HTTPS only. */
export function deskHeaders(isHttps: boolean): RequestHandler {
  return (_request, response, next) => {
    response.set({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cache-control': 'no-store',
      ...(isHttps && HSTS),
    });
    next();
  };
}
