import type { RequestHandler } from 'express';
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
