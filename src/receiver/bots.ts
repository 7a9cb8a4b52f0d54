import { createPlatformClient, type PlatformClient } from '../client/index.js';
import { type BotDirectory, checkName, DEFAULT_BOT, severalBots, singleBot } from '../events/index.js';
import { checkOptionNames, configError } from '../internal/index.js';
import type { WebhookEndpoint } from '../protocol/index.js';
import type { Recorder } from '../recording/index.js';
import {
  type Authenticate,
  checkBotsDiffer,
  createAuthenticate,
  type GuardedBot,
  withIdentifyingGuards,
} from './auth/authenticate.js';
import { createGuard } from './auth/schemes.js';
import type { BotOptions, ReceiverOptions, SeveralBotsOptions } from './options.js';
import { recordPlatform } from './record.js';
import { createBotRoutes, createRoutes, type EndpointsOf, type Route } from './routes.js';

/** The bots of a receiver: who may send, where, and to which platform replies go. */
interface ReceiverBots {
  readonly directory: BotDirectory;
  /** The client of each bot's platform, by the bot's name. */
  readonly platforms: ReadonlyMap<string, PlatformClient | null>;
  readonly authenticate: Authenticate;
  readonly routes: (url: string) => Route | null;
  /** Whether a path segment is a token of a bot. */
  readonly isToken: (segment: string) => boolean;
  /** Whether any bot sends messages, or handoffs. */
  readonly hasMessages: boolean;
  readonly hasHandoffs: boolean;
  /** Options of `auth` with a username whose secret was given, but empty. */
  readonly emptySecrets: readonly string[];
}

const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/** Reads the bots of the options: those of `bots`, or one named `default` with `auth` and `platform`. */
export function createBots(
  options: ReceiverOptions | SeveralBotsOptions,
  recorder: Recorder | null,
): ReceiverBots {
  const { basePath, paths } = options;
  const configured = optionsByBot(options);
  const hasSeveral = options.bots !== undefined;
  const emptySecrets: string[] = [];
  const bots = [...configured].map(([name, { auth }]): GuardedBot => {
    checkOptionNames(`${hasSeveral ? `bots.${name}.` : ''}auth`, auth, ['message', 'handoff']);
    const guardOf = (group: 'message' | 'handoff') => {
      const option = `${hasSeveral ? `bots.${name}.` : ''}auth.${group}`;
      const guard = createGuard(group, auth?.[group], option);
      if (guard?.hasEmptySecret) emptySecrets.push(option);
      return guard;
    };
    return { name, guards: { message: guardOf('message'), handoff: guardOf('handoff') } };
  });
  if (hasSeveral) checkBotsDiffer(bots);
  const platforms = new Map(
    [...configured].map(([name, { platform }]) => [name, platformOf(platform, recorder)]),
  );
  const endpoints = endpointsOf(bots);
  const shared = endpointsOf(bots.map(withIdentifyingGuards));
  const endpointsByBot = bots.map((bot) => ({ bot: bot.name, ...endpointsOf([bot]) }));
  return {
    platforms,
    isToken: endpoints.isToken,
    emptySecrets,
    hasMessages: bots.some(({ guards }) => guards.message),
    hasHandoffs: bots.some(({ guards }) => guards.handoff),
    directory: hasSeveral ? severalBots(platforms) : singleBot(platforms.get(DEFAULT_BOT) ?? null),
    authenticate: createAuthenticate(bots, options.probes?.auth !== 'none'),
    routes: hasSeveral
      ? createBotRoutes({ basePath, paths, shared, bots: endpointsByBot })
      : createRoutes({ ...endpoints, bot: DEFAULT_BOT, basePath, paths }),
  };
}

function optionsByBot({
  bots,
  auth,
  platform,
}: ReceiverOptions | SeveralBotsOptions): ReadonlyMap<string, Partial<BotOptions>> {
  // In JavaScript `auth` can be missing; its guards say what is needed then.
  if (bots === undefined)
    return new Map([[DEFAULT_BOT, { ...(auth && { auth }), ...(platform && { platform }) }]]);
  if (auth !== undefined || platform !== undefined) {
    throw configError(
      'give createReceiver either bots, or auth and platform of one bot. With bots, each has its own: bots: { sales: { auth, platform } }.',
    );
  }
  const entries = typeof bots === 'object' && bots !== null ? Object.entries(bots) : [];
  if (entries.length === 0) {
    throw configError('bots names no bot. Name at least one: bots: { sales: { auth, platform } }.');
  }
  for (const [name, bot] of entries) {
    checkName('the name of a bot', name);
    checkOptionNames(`bots.${name}`, bot, ['auth', 'platform']);
  }
  return new Map(entries.map(([name, bot]) => [name, (bot as BotOptions | undefined) ?? {}]));
}

/** The endpoints that any of the bots has. */
function endpointsOf(bots: readonly GuardedBot[]): EndpointsOf {
  const guards = bots.flatMap(({ guards: { message, handoff } }) => [message, handoff]);
  return {
    mounted: [
      ...(bots.some((bot) => bot.guards.message) ? ['message' as const] : []),
      ...(bots.some((bot) => bot.guards.handoff) ? HANDOFF_ENDPOINTS : []),
    ],
    hasPathToken: guards.some((guard) => guard?.hasPathToken),
    isToken: (segment) => guards.some((guard) => guard?.isToken(segment)),
  };
}

function platformOf(platform: BotOptions['platform'], recorder: Recorder | null): PlatformClient | null {
  if (platform === undefined) return null;
  const recorded = recorder ? recordPlatform(platform, recorder) : platform;
  return 'reply' in recorded ? recorded : createPlatformClient(recorded);
}
