import { configError, HandoffKitError } from '../../internal/index.js';
import type { WebhookEndpoint } from '../../protocol/index.js';
import { type Refusal, refuse } from '../answer.js';
import type { ReceiverRequest } from '../request.js';
import type { Route } from '../routes.js';
import {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  credentialOf,
  NO_AUTH,
} from './schemes.js';

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
  /** What the schemes compare a request with; `null` if one of them compares it with nothing that is known here. */
  readonly credentials: readonly string[] | null;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: string[];
}

const CHOICES = `
    webhookUser({ username, secret })   the username and secret of the bot's webhook settings
    bearer(token)                       Authorization: Bearer <token>
    basic({ username, password })       HTTP Basic
    pathToken(token)                    an unguessable segment of the path
    (request) => boolean                your own check
    noAuth()                            every request, where something else keeps strangers out
    [one, another]                      any of several, to rotate a secret
    false                               do not mount these endpoints`;

/**
 * Creates the guard of a group from the developer's choice; `null` for `false`. A missing choice is an error, which names
 * the `option`.
 */
export function createGuard(
  group: 'message' | 'handoff',
  choice: AuthChoice | false | undefined,
  option = `auth.${group}`,
): Guard | null {
  if (choice === false) return null;
  const schemes = (Array.isArray(choice) ? choice : [choice]).map(toScheme);
  const usable = schemes.filter((scheme) => scheme !== null);
  if (usable.length === 0 || usable.length < schemes.length) {
    throw new HandoffKitError(
      'AUTH_CHOICE_MISSING',
      `createReceiver needs to know who may send ${group === 'message' ? 'messages' : 'handoff requests'}: set ${option} to one of${CHOICES}`,
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
    credentials: credentialsOf(usable),
    challenges: [...new Set(usable.map((scheme) => scheme.challenge))].filter(
      (challenge) => challenge !== '',
    ),
  };
}

function credentialsOf(schemes: readonly AuthScheme[]): readonly string[] | null {
  const known = schemes.map(credentialOf).filter((credential) => credential !== undefined);
  return known.length === schemes.length ? known : null;
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

/** A bot and the guards in front of its endpoints. */
export interface GuardedBot {
  readonly name: string;
  readonly guards: Guards;
}

/**
 * The permissions of a request. `otherwise` is the refusal if it needs more than that. `bot` is `null` for a probe that
 * no credentials and no path assign to one.
 */
export type Grant =
  | { readonly level: 'full'; readonly endpoint: WebhookEndpoint; readonly bot: string }
  | { readonly level: 'probe'; readonly bot: string | null; readonly otherwise: Refusal }
  | { readonly level: 'none'; readonly otherwise: Refusal };

/** Decides by headers and path what a request may do. */
export type Authenticate = (request: ReceiverRequest, route: Route) => Grant | Promise<Grant>;

/** Made once for each bot: nearly every request gets one of them. */
const fullGrants = (bot: string): Readonly<Record<WebhookEndpoint, Grant>> => ({
  message: { level: 'full', endpoint: 'message', bot },
  establish: { level: 'full', endpoint: 'establish', bot },
  chat: { level: 'full', endpoint: 'chat', bot },
  close: { level: 'full', endpoint: 'close', bot },
});

const NOT_FOUND = refuse(404, 'not found', { detail: 'nothing but probes is answered at this address' });

/**
 * Creates {@link Authenticate} of one bot. The root of the mount belongs to both groups, since it is the message webhook
 * and the base URL of the handoff endpoints: a probe there needs the credentials of either. Open handoff endpoints let in
 * a probe without credentials; wrong ones are meant for the message webhook, and its messages would be refused.
 */
export function createAuthenticate({ name, guards }: GuardedBot, probesNeedAuth: boolean): Authenticate {
  const granted = fullGrants(name);
  return (request, route) => {
    const isRepeated = request.hasRepeatedAuthorization ?? false;
    const authRequest = toAuthRequest(request, route, isRepeated);
    const { authorization: header } = authRequest;
    const isMessage = route.endpoint === 'message' || (route.endpoint === 'root' && route.isRoot);
    const own = isMessage ? (guards.message ?? guards.handoff) : guards.handoff;
    return chain(own ? passes(own, authRequest) : false, (isOwn) => {
      if (isOwn && route.endpoint !== 'root') return granted[route.endpoint];
      const otherwise = own && !isOwn ? unauthorized(own, isRepeated, header !== undefined) : NOT_FOUND;
      if (isOwn || !probesNeedAuth) return { level: 'probe', bot: name, otherwise };
      const hasCredentials = header !== undefined || isRepeated;
      const other = route.isRoot && own !== guards.handoff ? guards.handoff : null;
      const verdict = other && !(other.isOpen && hasCredentials) ? passes(other, authRequest) : false;
      return chain(verdict, (isOther) =>
        isOther ? { level: 'probe', bot: name, otherwise } : { level: 'none', otherwise },
      );
    });
  };
}

function toAuthRequest(
  { headers, remoteAddress }: ReceiverRequest,
  { endpoint, pathToken }: Route,
  isRepeated: boolean,
): AuthRequest {
  const authorization = isRepeated ? undefined : headers.authorization;
  return { endpoint, authorization, pathToken, headers, remoteAddress };
}

/**
 * Creates {@link Authenticate} of several bots. Below `/<bot>` a request is that bot's, and must have its
 * credentials; elsewhere the credentials tell the bot. Credentials of another bot than the path's are refused, also
 * where the path's bot takes requests without any.
 */
export function createBotsAuthenticate(bots: readonly GuardedBot[], probesNeedAuth: boolean): Authenticate {
  const own = new Map(
    bots.map((bot) => [
      bot.name,
      { guards: bot.guards, authenticate: createAuthenticate(bot, probesNeedAuth) },
    ]),
  );
  const told = bots.map(toldByCredentials);
  const anyone = told.map((bot) => ({ ...bot, authenticate: createAuthenticate(bot, true) }));

  /** Whether a request has the credentials of another bot. */
  const isAnothers = async (request: ReceiverRequest, route: Route): Promise<boolean> => {
    const authRequest = toAuthRequest(request, route, request.hasRepeatedAuthorization ?? false);
    const others = told.filter(({ name }) => name !== route.bot);
    const verdicts = others.flatMap(({ guards }) =>
      guardsAt(guards, route).map(async (guard) => passes(guard, authRequest)),
    );
    return (await Promise.all(verdicts)).includes(true);
  };

  const belowName = async (
    request: ReceiverRequest,
    route: Route,
    { guards, authenticate }: { readonly guards: Guards; readonly authenticate: Authenticate },
  ): Promise<Grant> => {
    const grant = await authenticate(request, route);
    const isToldByCredentials = guardsAt(guards, route).every(({ credentials }) => credentials !== null);
    if (grant.level === 'none' || isToldByCredentials || !(await isAnothers(request, route))) return grant;
    const detail = 'the credentials are those of another bot than the one in the path';
    return { level: 'none', otherwise: refuse(401, 'unauthorized', { detail }) };
  };

  const byCredentials = (grants: readonly Grant[]): Grant => {
    const found =
      grants.find(({ level }) => level === 'full') ?? grants.find(({ level }) => level === 'probe');
    if (found) return found;
    const otherwise = mergeRefusals(grants);
    return probesNeedAuth ? { level: 'none', otherwise } : { level: 'probe', bot: null, otherwise };
  };

  return (request, route) => {
    const named = route.bot === undefined ? undefined : own.get(route.bot);
    if (named) return belowName(request, route, named);
    // All of them, also after one has passed: the time taken does not tell which.
    const grants = anyone.map(async (bot) => {
      const at = routeFor(bot.guards, route);
      return at ? bot.authenticate(request, at) : NOTHING_HERE;
    });
    return Promise.all(grants).then(byCredentials);
  };
}

const NOTHING_HERE: Grant = { level: 'none', otherwise: NOT_FOUND };

/** A bot with those of its guards whose credentials tell it from others. */
export function toldByCredentials({ name, guards: { message, handoff } }: GuardedBot): GuardedBot {
  return {
    name,
    guards: {
      message: message?.credentials ? message : null,
      handoff: handoff?.credentials ? handoff : null,
    },
  };
}

/** The route as one of several bots has it: without a message webhook, its address is only the root. */
function routeFor({ message, handoff }: Guards, route: Route): Route | null {
  if (route.endpoint === 'message') return message ? route : { ...route, endpoint: 'root', isRoot: true };
  return route.endpoint === 'root' || handoff ? route : null;
}

/** The guards of an endpoint; at the root, where probes of both groups are let in, those of both. */
function guardsAt({ message, handoff }: Guards, { endpoint, isRoot }: Route): Guard[] {
  const guards =
    endpoint === 'message' ? [message] : endpoint === 'root' && isRoot ? [message, handoff] : [handoff];
  return guards.filter((guard) => guard !== null);
}

/** One refusal with the challenges of all bots. */
function mergeRefusals(grants: readonly Grant[]): Refusal {
  const refusals = grants.flatMap((grant) => (grant.level === 'none' ? [grant.otherwise] : []));
  const unauthorised = refusals.filter(({ status }) => status === 401);
  const [first] = unauthorised;
  if (!first) return NOT_FOUND;
  const challenges = unauthorised.flatMap(({ headers }) => headers?.['www-authenticate'] ?? []);
  return refuse(401, 'unauthorized', {
    detail: first.detail,
    headers: challenges.length > 0 ? { 'www-authenticate': [...new Set(challenges)] } : {},
  });
}

/**
 * Throws if two bots have the same credentials in a group: their requests could not be told apart. Nor may a bot be
 * named like a path token, which stands in the same place.
 */
export function checkBotsDiffer(bots: readonly GuardedBot[]): void {
  for (const group of ['message', 'handoff'] as const) {
    const owners = new Map<string, string>();
    for (const { name, guards } of bots) {
      for (const credential of new Set(guards[group]?.credentials ?? [])) {
        const other = owners.get(credential);
        if (other !== undefined) {
          throw configError(
            `the bots ${other} and ${name} have the same credentials in auth.${group}, so their requests cannot be told apart. Give each bot credentials of its own.`,
          );
        }
        owners.set(credential, name);
      }
      const holder = bots.find(({ guards: { [group]: guard } }) => guard?.knowsToken(name));
      if (holder) throw configError(`the bot ${name} has the name of a path token of ${holder.name}.`);
    }
  }
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
