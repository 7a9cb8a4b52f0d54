import type { CookieOptions, Request, Response } from 'express';
import type { PublicUrl } from './origin.js';

/** The cookie of a session. */
export interface SessionCookie {
  /** Every value that the browser sent: a page of a sibling domain can add cookies of the same name. */
  read(request: Request): readonly string[];
  set(request: Request, response: Response, value: string, maxAge: number): void;
  clear(request: Request, response: Response): void;
}

const NAME = 'handoff_desk';
/** More cookies of one name than a browser sends by accident; each is one lookup. */
const MAX_VALUES = 10;

/**
 * With a public URL on HTTPS, its name begins with `__Host-`: browsers let no other
 * host and no page on HTTP set it. The prefix requires the path `/`, so the name contains the desk's own.
 */
export function createSessionCookie(publicUrl: PublicUrl | null): SessionCookie {
  const isHost = publicUrl?.isHttps ?? false;
  const name = isHost ? `__Host-${NAME}${publicUrl?.path.replaceAll(/\W+/g, '-')}` : NAME;
  /** Hidden from scripts and other sites. */
  const optionsFor = ({ secure, baseUrl }: Request): CookieOptions => ({
    httpOnly: true,
    sameSite: 'strict',
    secure: isHost || secure,
    path: isHost ? '/' : baseUrl || '/',
  });
  return {
    read: ({ headers }) => cookieValues(headers.cookie, name),
    set: (request, response, value, maxAge) =>
      void response.cookie(name, value, { ...optionsFor(request), maxAge }),
    clear: (request, response) => void response.clearCookie(name, optionsFor(request)),
  };
}

/** The values of all cookies of a name that may be the desk's own. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key, value = ''] = pair.trim().split('=');
    return key === name && /^[\w-]{20,200}$/.test(value) ? value : [];
  });
  return [...new Set(values)].slice(0, MAX_VALUES);
}
