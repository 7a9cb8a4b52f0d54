import type { Request, Response } from 'express';
import { SESSION_MS } from '../agents/sessions.js';

const NAME = 'handoff_desk';

/** What the cookie of the desk holds, or `null`. */
export function readCookie({ headers }: Pick<Request, 'headers'>): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value !== undefined && /^[\w-]{20,100}$/.test(value)) return value;
  }
  return null;
}

/** Gives the browser its cookie: not for scripts, not for other sites, only for the desk's own paths. */
export function setCookie(request: Request, response: Response, value: string, secure: boolean): void {
  const path = request.baseUrl || '/';
  response.cookie(NAME, value, { httpOnly: true, sameSite: 'strict', secure, path, maxAge: SESSION_MS });
}

/** Takes the cookie back. */
export function clearCookie(request: Request, response: Response, secure: boolean): void {
  response.clearCookie(NAME, { httpOnly: true, sameSite: 'strict', secure, path: request.baseUrl || '/' });
}
