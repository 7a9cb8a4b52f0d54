import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HandoffKitError } from '../../internal/index.js';
import type { AuthChoice, AuthFunction, AuthRequest, AuthScheme } from './scheme.js';

/** What stands before a group of endpoints. */
export interface Guard {
  /** Whether any of the schemes passes. */
  verify(request: AuthRequest): boolean | Promise<boolean>;
  /** Whether a path segment is a token of one of the schemes. */
  knowsToken(candidate: string): boolean;
  /** Whether any of the schemes judges by the path. */
  readonly inPath: boolean;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: string[];
}

/** Which endpoints a choice is for. */
export type AuthGroup = 'message' | 'handoff';

const CHOICES = `
    webhookUser({ username, secret })   the username and secret of the agent's webhook settings
    bearer(token)                       Authorization: Bearer <token>
    basic({ username, password })       HTTP Basic
    pathToken(token)                    an unguessable segment of the path
    (request) => boolean                your own judgement
    noAuth()                            everybody, where something else keeps strangers out
    [one, another]                      any of several, to rotate a secret
    false                               do not mount these endpoints`;

/** Makes the guard of a group from the developer's choice, which must have been made. `false`: not mounted. */
export function createGuard(group: AuthGroup, choice: AuthChoice | false | undefined): Guard | null {
  if (choice === false) return null;
  const schemes = (Array.isArray(choice) ? choice : [choice]).map(toScheme);
  if (schemes.length === 0 || schemes.includes(null)) {
    throw new HandoffKitError(
      'AUTH_CHOICE_MISSING',
      `createReceiver needs to know who may send ${group === 'message' ? 'messages' : 'handoff requests'}: set auth.${group} to one of${CHOICES}`,
    );
  }
  const usable = schemes.filter((scheme) => scheme !== null);
  const [only] = usable;
  return {
    verify:
      usable.length === 1 && only ? (request) => only.verify(request) : (request) => anyOf(usable, request),
    knowsToken: (candidate) =>
      usable.some((scheme) => scheme.inPath && scheme.verify(tokenOnly(candidate)) === true),
    inPath: usable.some((scheme) => scheme.inPath),
    challenges: [...new Set(usable.map((scheme) => scheme.challenge))].filter(
      (challenge) => challenge !== '',
    ),
  };
}

async function anyOf(schemes: readonly AuthScheme[], request: AuthRequest): Promise<boolean> {
  for (const scheme of schemes) {
    if ((await scheme.verify(request)) === true) return true;
  }
  return false;
}

function toScheme(choice: unknown): AuthScheme | null {
  if (typeof choice === 'function') return fromFunction(choice as AuthFunction);
  return isScheme(choice) ? choice : null;
}

function isScheme(choice: unknown): choice is AuthScheme {
  return (
    typeof choice === 'object' && choice !== null && 'verify' in choice && typeof choice.verify === 'function'
  );
}

function fromFunction(judge: AuthFunction): AuthScheme {
  return { name: 'function', challenge: 'Bearer realm="handoff-kit"', inPath: false, verify: judge };
}

const tokenOnly = (pathToken: string): AuthRequest => ({
  endpoint: 'root',
  authorization: undefined,
  pathToken,
  headers: {},
  remoteAddress: undefined,
});

/** Two credentials in one request are one too many: which of them counts is a matter of who reads it. */
export function authorizationOf(
  { rawHeaders }: IncomingMessage,
  headers: IncomingHttpHeaders,
): { header: string | undefined; several: boolean } {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return { header: count > 1 ? undefined : headers.authorization, several: count > 1 };
}
