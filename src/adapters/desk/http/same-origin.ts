import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';

/** Whether a browser says that its own page asked: `Origin` and `Sec-Fetch-Site`, where they are sent. */
export function isSameOrigin({ headers }: Pick<Request, 'headers'>): boolean {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const ownSite = site === undefined || site === 'same-origin';
  if (origin === undefined) return site === 'same-origin';
  return ownSite && (origin === `https://${host}` || origin === `http://${host}`);
}

/** Whether a change carries the session's token. */
export function hasToken({ headers }: Pick<Request, 'headers'>, token: string): boolean {
  const given = Buffer.from(String(headers['x-desk-token'] ?? ''));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
