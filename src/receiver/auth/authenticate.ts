import { HandoffKitError } from '../../internal/index.js';
import type { WebhookEndpoint } from '../../protocol/index.js';
import { type Refusal, refuse } from '../answer.js';
import type { ReceiverRequest } from '../request.js';
import type { Route } from '../routes.js';
import { type AuthChoice, type AuthFunction, type AuthRequest, type AuthScheme, NO_AUTH } from './schemes.js';

/** The check in front of a group of endpoints. */
export interface Guard {
  /** Whether any of the schemes passes. */
  verify(request: AuthRequest): boolean | Promise<boolean>;
  /** Whether a path segment is a token of one of the schemes. */
  knowsToken(candidate: string): boolean;
  /** Whether the credential of any scheme is in the path. */
  readonly inPath: boolean;
  /** Whether every request passes. */
  readonly isOpen: boolean;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: string[];
}

const CHOICES = `
    webhookUser({ username, secret })   the username and secret of the agent's webhook settings
    bearer(token)                       Authorization: Bearer <token>
    basic({ username, password })       HTTP Basic
    pathToken(token)                    an unguessable segment of the path
    (request) => boolean                your own check
    noAuth()                            every request, where something else keeps strangers out
    [one, another]                      any of several, to rotate a secret
    false                               do not mount these endpoints`;

/** Creates the guard of a group from the developer's choice; `null` for `false`. A missing choice is an error. */
export function createGuard(
  group: 'message' | 'handoff',
  choice: AuthChoice | false | undefined,
): Guard | null {
  if (choice === false) return null;
  const schemes = (Array.isArray(choice) ? choice : [choice]).map(toScheme);
  const usable = schemes.filter((scheme) => scheme !== null);
  if (usable.length === 0 || usable.length < schemes.length) {
    throw new HandoffKitError(
      'AUTH_CHOICE_MISSING',
      `createReceiver needs to know who may send ${group === 'message' ? 'messages' : 'handoff requests'}: set auth.${group} to one of${CHOICES}`,
    );
  }
  const [only] = usable;
  return {
    verify:
      only && usable.length === 1 ? (request) => only.verify(request) : (request) => anyOf(usable, request),
    knowsToken: (candidate) =>
      usable.some((scheme) => scheme.inPath && scheme.verify(tokenOnly(candidate)) === true),
    inPath: usable.some((scheme) => scheme.inPath),
    isOpen: usable.some((scheme) => scheme.name === NO_AUTH),
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
  if (typeof choice === 'function') {
    const verify = choice as AuthFunction;
    return { name: 'function', challenge: 'Bearer realm="handoff-kit"', inPath: false, verify };
  }
  return isScheme(choice) ? choice : null;
}

function isScheme(choice: unknown): choice is AuthScheme {
  return (
    typeof choice === 'object' && choice !== null && 'verify' in choice && typeof choice.verify === 'function'
  );
}

const tokenOnly = (pathToken: string): AuthRequest => ({
  endpoint: 'root',
  authorization: undefined,
  pathToken,
  headers: {},
  remoteAddress: undefined,
});

/** The guards of the two groups; `null` where a group is not mounted. */
export interface Guards {
  readonly message: Guard | null;
  readonly handoff: Guard | null;
}

/** The permissions of a request. `otherwise` is the refusal if it needs more than that. */
export type Grant =
  | { readonly level: 'full'; readonly endpoint: WebhookEndpoint }
  | { readonly level: 'probe'; readonly otherwise: Refusal }
  | { readonly level: 'none'; readonly otherwise: Refusal };

/** Decides by headers and path what a request may do. */
export type Authenticate = (request: ReceiverRequest, route: Route) => Grant | Promise<Grant>;

/** Shared objects: nearly every request gets one of them. */
const GRANTED: Readonly<Record<WebhookEndpoint, Grant>> = {
  message: { level: 'full', endpoint: 'message' },
  establish: { level: 'full', endpoint: 'establish' },
  chat: { level: 'full', endpoint: 'chat' },
  close: { level: 'full', endpoint: 'close' },
};

const NOT_FOUND = refuse(404, 'not found', { detail: 'nothing but probes is answered at this address' });

/**
 * Creates {@link Authenticate}. The root of the mount belongs to both groups, since it is the message webhook and the
 * base URL of the handoff endpoints: a probe there needs the credentials of either. Open handoff endpoints let in a
 * probe without credentials; wrong ones are meant for the message webhook, and its messages would be refused.
 */
export function createAuthenticate(guards: Guards, probesNeedAuth: boolean): Authenticate {
  return (request, route) => {
    const { headers, remoteAddress } = request;
    const isRepeated = request.hasRepeatedAuthorization ?? false;
    const header = isRepeated ? undefined : headers.authorization;
    const authRequest: AuthRequest = {
      endpoint: route.endpoint,
      authorization: header,
      pathToken: route.pathToken,
      headers,
      remoteAddress,
    };
    const isMessage = route.endpoint === 'message' || (route.endpoint === 'root' && route.isRoot);
    const own = isMessage ? (guards.message ?? guards.handoff) : guards.handoff;
    return chain(own ? passes(own, authRequest) : false, (isOwn) => {
      if (isOwn && route.endpoint !== 'root') return GRANTED[route.endpoint];
      const otherwise = own && !isOwn ? unauthorized(own, isRepeated, header !== undefined) : NOT_FOUND;
      if (isOwn || !probesNeedAuth) return { level: 'probe', otherwise };
      const hasCredentials = header !== undefined || isRepeated;
      const other = route.isRoot && own !== guards.handoff ? guards.handoff : null;
      const verdict = other && !(other.isOpen && hasCredentials) ? passes(other, authRequest) : false;
      return chain(verdict, (isOther) => ({ level: isOther ? 'probe' : 'none', otherwise }));
    });
  };
}

/** Continues with a result, synchronously unless it is a promise: most schemes are synchronous. */
function chain(
  verdict: boolean | Promise<boolean>,
  decide: (passed: boolean) => Grant | Promise<Grant>,
): Grant | Promise<Grant> {
  return typeof verdict === 'boolean' ? decide(verdict) : verdict.then(decide);
}

function passes(guard: Guard, request: AuthRequest): boolean | Promise<boolean> {
  const verdict = guard.verify(request);
  return typeof verdict === 'boolean' ? verdict : Promise.resolve(verdict).then((late) => late === true);
}

function unauthorized(guard: Guard, isRepeated: boolean, hasHeader: boolean): Refusal {
  return refuse(401, 'unauthorized', {
    detail: complaint(guard, isRepeated, hasHeader),
    headers: guard.challenges.length > 0 ? { 'www-authenticate': guard.challenges } : {},
  });
}

function complaint(guard: Guard, isRepeated: boolean, hasHeader: boolean): string {
  if (isRepeated) return 'the request has several Authorization headers';
  if (guard.inPath) return 'the token in the path is missing or wrong';
  return hasHeader ? 'the credentials are wrong' : 'the request has no Authorization header';
}
