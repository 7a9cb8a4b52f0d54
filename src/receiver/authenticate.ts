import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WebhookEndpoint } from '../protocol/index.js';
import { type AuthRequest, authorizationOf, type Guard } from './auth/index.js';
import { type Refusal, refuse } from './refusal.js';
import type { Route } from './routes.js';

/** The guards of the two groups; `null` where a group is not mounted. */
export interface Guards {
  readonly message: Guard | null;
  readonly handoff: Guard | null;
}

/** What a request may do. `otherwise` is what becomes of it when it wants more than that. */
export type Grant =
  | { readonly level: 'full'; readonly endpoint: WebhookEndpoint }
  | { readonly level: 'probe'; readonly otherwise: Refusal }
  | { readonly level: 'none'; readonly otherwise: Refusal };

/** Judges a request by its headers and path. */
export type Authenticate = (
  request: IncomingMessage,
  headers: IncomingHttpHeaders,
  route: Route,
) => Grant | Promise<Grant>;

/** What who has the right credentials may do. Made once: nearly every request gets one of these. */
const GRANTED: Readonly<Record<WebhookEndpoint, Grant>> = {
  message: { level: 'full', endpoint: 'message' },
  establish: { level: 'full', endpoint: 'establish' },
  chat: { level: 'full', endpoint: 'chat' },
  close: { level: 'full', endpoint: 'close' },
};

const NOT_FOUND = refuse(404, 'not found', { detail: 'nothing but probes is answered at this address' });

/**
 * Makes the judge. The mount's root stands for both groups, since it is the message webhook and the base URL
 * of the handoff endpoints: a probe there passes by the scheme of either.
 */
export function createAuthenticate(guards: Guards, probesNeedAuth: boolean): Authenticate {
  return (request, headers, route) => {
    const { header, several } = authorizationOf(request, headers);
    const authRequest: AuthRequest = {
      endpoint: route.endpoint,
      authorization: header,
      pathToken: route.pathToken,
      headers,
      remoteAddress: request.socket.remoteAddress,
    };
    const isMessage = route.endpoint === 'message' || route.endpoint === 'root';
    const own = isMessage ? guards.message : guards.handoff;
    return after(own ? passes(own, authRequest) : false, (isOwn) => {
      if (isOwn && route.endpoint !== 'root') return GRANTED[route.endpoint];
      const otherwise = own && !isOwn ? unauthorized(own, several, header !== undefined) : NOT_FOUND;
      if (isOwn || !probesNeedAuth) return { level: 'probe', otherwise };
      const other = route.isRoot && guards.handoff ? passes(guards.handoff, authRequest) : false;
      return after(other, (isOther) => ({ level: isOther ? 'probe' : 'none', otherwise }));
    });
  };
}

/** Goes on with a verdict, at once where it is there already: most schemes need not wait for anything. */
function after(
  verdict: boolean | Promise<boolean>,
  goOn: (passed: boolean) => Grant | Promise<Grant>,
): Grant | Promise<Grant> {
  return typeof verdict === 'boolean' ? goOn(verdict) : verdict.then(goOn);
}

function passes(guard: Guard, request: AuthRequest): boolean | Promise<boolean> {
  const verdict = guard.verify(request);
  return typeof verdict === 'boolean' ? verdict : Promise.resolve(verdict).then((late) => late === true);
}

function unauthorized(guard: Guard, several: boolean, hasHeader: boolean): Refusal {
  return refuse(401, 'unauthorized', {
    detail: complaint(guard, several, hasHeader),
    headers: guard.challenges.length > 0 ? { 'www-authenticate': guard.challenges } : {},
  });
}

function complaint(guard: Guard, several: boolean, hasHeader: boolean): string {
  if (several) return 'the request has several Authorization headers';
  if (guard.inPath) return 'the token in the path is missing or wrong';
  return hasHeader ? 'the credentials are wrong' : 'the request has no Authorization header';
}
