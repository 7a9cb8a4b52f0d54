import { configError } from '../../internal/index.js';
import type { WebhookEndpoint } from '../../protocol/index.js';
import { type ReceiverRequest, type Refusal, refuse } from '../exchange.js';
import type { Route } from '../routes.js';
import { type AuthRequest, BASIC, BEARER, type Guard } from './schemes.js';

/** A bot and the guards of its endpoints; `null` where a group is not mounted. */
export interface GuardedBot {
  readonly name: string;
  readonly guards: { readonly message: Guard | null; readonly handoff: Guard | null };
}

/**
 * The bot and the endpoint that a request may use, and the one that it tests as a probe. `refusal` answers a request that
 * needs more. `bot` is `null` for a probe whose bot neither the path nor credentials identify.
 */
type Grant =
  | {
      readonly level: 'full';
      readonly endpoint: WebhookEndpoint;
      readonly tested: Route['endpoint'];
      readonly bot: string;
    }
  | {
      readonly level: 'probe';
      readonly tested: Route['endpoint'];
      readonly bot: string | null;
      readonly refusal: Refusal;
    }
  | { readonly level: 'none'; readonly refusal: Refusal };

/** Decides by path and headers what a request may use. */
export type Authenticate = (request: ReceiverRequest, route: Route) => Promise<Grant>;

const ONLY_PROBES = refuse(404, 'not found', { detail: 'nothing but probes is answered at this address' });
const OTHER_BOT = refuse(401, 'unauthorized', {
  detail: 'the credentials are those of another bot than the one in the path',
});

/**
 * ```
 *   the path of a bot ──► has the bot's credentials ──► endpoint: full · root: probes only
 *                            └─ the bot needs none, and these are another bot's: 401
 *
 *   a shared path ──────► has the credentials of one of the bots ──► the same for that bot
 *                            └─ of none: 401 with the challenges of all
 * ```
 */
export function createAuthenticate(bots: readonly GuardedBot[], probesNeedAuth: boolean): Authenticate {
  const identifiableBots = bots.map(withIdentifyingGuards);

  const hasCredentialsOfOther = async (request: ReceiverRequest, route: Route): Promise<boolean> => {
    const authRequest = toAuthRequest(request, route);
    const guards = identifiableBots
      .filter(({ name }) => name !== route.bot)
      .flatMap((bot) => guardsAt(bot, route));
    return (await Promise.all(guards.map((guard) => guard.passes(authRequest)))).includes(true);
  };

  const atPathOfBot = async (bot: GuardedBot, request: ReceiverRequest, route: Route): Promise<Grant> => {
    const grant = await grantOf(bot, request, route, probesNeedAuth);
    if (grant.level === 'none' || isIdentifiedAt(bot, route)) return grant;
    return (await hasCredentialsOfOther(request, route)) ? { level: 'none', refusal: OTHER_BOT } : grant;
  };

  const atSharedPath = async (request: ReceiverRequest, route: Route): Promise<Grant> => {
    // All of them, also after one has passed, so that the time taken does not reveal the bot.
    const grants = await Promise.all(identifiableBots.map((bot) => grantOf(bot, request, route, true)));
    const grant =
      grants.find(({ level }) => level === 'full') ?? grants.find(({ level }) => level === 'probe');
    if (grant) return grant;
    const refusal = mergeRefusals(grants);
    return probesNeedAuth
      ? { level: 'none', refusal }
      : { level: 'probe', tested: route.endpoint, bot: null, refusal };
  };

  return async (request, route) => {
    const bot = bots.find(({ name }) => name === route.bot);
    return bot ? atPathOfBot(bot, request, route) : atSharedPath(request, route);
  };
}

/** A bot with those of its guards whose credentials identify it. */
export function withIdentifyingGuards({ name, guards: { message, handoff } }: GuardedBot): GuardedBot {
  const identifying = (guard: Guard | null): Guard | null => (guard?.credentials ? guard : null);
  return { name, guards: { message: identifying(message), handoff: identifying(handoff) } };
}

/**
 * What a request may use of one bot. The root of the mount is the message webhook and the base URL of the handoff
 * endpoints, so a probe there needs the credentials of either. Open handoff endpoints admit a probe without
 * credentials; wrong ones are meant for the message webhook, which would refuse its messages.
 */
async function grantOf(
  { name, guards }: GuardedBot,
  request: ReceiverRequest,
  route: Route,
  probesNeedAuth: boolean,
): Promise<Grant> {
  const authRequest = toAuthRequest(request, route);
  const [group] = groupsAt(route);
  const guard = guards[group] ?? guards.handoff;
  const passes = guard !== null && (await guard.passes(authRequest));
  // The base URL of the handoff endpoints is the address of the message webhook with the token.
  const isBaseUrl = route.isRoot && route.pathToken !== undefined && !guards.message?.hasPathToken;
  const tested = isBaseUrl ? 'root' : route.endpoint;
  if (passes && guards[group] && route.endpoint !== 'root')
    return { level: 'full', endpoint: route.endpoint, tested, bot: name };

  const refusal =
    guard && !passes ? unauthorized(complaint(guard, request, route), guard.challenges) : ONLY_PROBES;
  if (passes || !probesNeedAuth) return { level: 'probe', tested, bot: name, refusal };
  const second = route.isRoot && guard !== guards.handoff ? guards.handoff : null;
  const isUsable = second !== null && !(second.isOpen && hasAuthorization(request));
  return isUsable && (await second.passes(authRequest))
    ? { level: 'probe', tested: 'root', bot: name, refusal }
    : { level: 'none', refusal };
}

type Group = keyof GuardedBot['guards'];

/** The groups that a route belongs to, the one whose guard comes first. */
function groupsAt({ endpoint, isRoot }: Route): readonly [Group, ...Group[]] {
  if (endpoint === 'message') return ['message'];
  return endpoint === 'root' && isRoot ? ['message', 'handoff'] : ['handoff'];
}

/** Whether every guard of the route has credentials, so that a request which passes can be of no other bot. */
const isIdentifiedAt = ({ guards }: GuardedBot, route: Route): boolean =>
  groupsAt(route).every((group) => guards[group]?.credentials !== null);

const guardsAt = ({ guards }: GuardedBot, route: Route): Guard[] =>
  groupsAt(route).flatMap((group) => guards[group] ?? []);

function toAuthRequest(request: ReceiverRequest, { endpoint, pathToken }: Route): AuthRequest {
  const { headers, remoteAddress, hasRepeatedAuthorization } = request;
  const authorization = hasRepeatedAuthorization ? undefined : headers.authorization;
  return { endpoint, authorization, pathToken, headers, remoteAddress };
}

const hasAuthorization = ({ headers, hasRepeatedAuthorization }: ReceiverRequest): boolean =>
  headers.authorization !== undefined || hasRepeatedAuthorization === true;

const NO_AUTHORIZATION = 'no Authorization header';

/** What came and what was expected, without values: the first word of a header may be a secret. */
function complaint({ expects, hasPathToken }: Guard, request: ReceiverRequest, { pathToken }: Route): string {
  const received = describeCredentials(request);
  const parts = [
    ...(hasPathToken ? [pathToken === undefined ? 'no token in its path' : 'another one'] : []),
    ...(received === NO_AUTHORIZATION && hasPathToken && expects.length === 1 ? [] : [received]),
  ];
  const hint =
    (received === BASIC && expects.includes(BEARER)) || (received === BEARER && expects.includes(BASIC))
      ? '. The platform sends Basic for a username with a secret, and Bearer for a username alone: is the secret set on both sides?'
      : '';
  return expects.includes(received)
    ? `the credentials are wrong: the request has ${received}, as expected, with other values`
    : `expected ${expects.join(' or ')}, but the request has ${parts.join(' and ')}${hint}`;
}

function describeCredentials({ headers, hasRepeatedAuthorization }: ReceiverRequest): string {
  if (hasRepeatedAuthorization) return 'several Authorization headers';
  const { authorization } = headers;
  if (authorization !== undefined) {
    const scheme = authorization.split(' ', 1)[0]?.toLowerCase();
    if (scheme === 'basic') return BASIC;
    return scheme === 'bearer' ? BEARER : 'an Authorization header of another scheme';
  }
  const isSigned = Object.keys(headers).some((name) => name.includes('signature'));
  return isSigned ? 'a signature instead of Authorization' : NO_AUTHORIZATION;
}

const unauthorized = (detail: string | undefined, challenges: readonly string[]): Refusal =>
  refuse(401, 'unauthorized', {
    detail,
    headers: challenges.length > 0 ? { 'www-authenticate': [...new Set(challenges)] } : {},
  });

/** One refusal with the challenges of all bots. */
function mergeRefusals(grants: readonly Grant[]): Refusal {
  const refusals = grants.flatMap((grant) => (grant.level === 'none' ? grant.refusal : []));
  const denied = refusals.filter(({ status }) => status === 401);
  const [first] = denied;
  if (!first) return ONLY_PROBES;
  return unauthorized(
    first.detail,
    denied.flatMap(({ headers }) => headers?.['www-authenticate'] ?? []),
  );
}

/**
 * Throws if two bots have the same credentials in a group: nothing could tell their requests apart. Nor may a bot be
 * named like a path token, which is in the same place of the path.
 */
export function checkBotsDiffer(bots: readonly GuardedBot[]): void {
  for (const group of ['message', 'handoff'] as const) {
    const owners = new Map<string, string>();
    for (const { name, guards } of bots) {
      for (const credential of new Set(guards[group]?.credentials ?? [])) {
        const other = owners.get(credential);
        if (other !== undefined) {
          throw configError(
            `the bots ${other} and ${name} have the same credentials in auth.${group}, so their requests cannot be told apart. Give each bot its own credentials.`,
          );
        }
        owners.set(credential, name);
      }
      const holder = bots.find(({ guards: { [group]: guard } }) => guard?.isToken(name));
      if (holder) throw configError(`the bot ${name} has the name of a path token of ${holder.name}.`);
    }
  }
}
