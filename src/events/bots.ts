import type { PlatformClient } from '../client/index.js';
import { configError, HandoffKitError } from '../internal/index.js';

/** The bot of a receiver with one bot. Its conversations keep the platform's ids. */
export const DEFAULT_BOT = 'default';

/** The field of log lines that names a bot. The bot `default`, which most receivers have alone, needs none. */
export const botField = (bot: string): { readonly bot?: string } => (bot === DEFAULT_BOT ? {} : { bot });

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;

/** Throws unless a text can name a receiver or a bot: names are parts of paths, ids and stored keys. */
export function checkName(what: string, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw configError(
    `${what} must be letters, digits, "-" and "_", beginning with a letter or digit, at most 32; got ${JSON.stringify(name)}.`,
  );
}

/** A conversation as its platform knows it. */
export interface PlatformConversation {
  /** The bot whose conversation it is. */
  readonly bot: string;
  /** The id that the platform has given it. */
  readonly platformId: string;
}

/**
 * The bots of a receiver. Two bots may have conversations with the same id, so the ids that handlers, stores and
 * adapters see begin with the bot's name: `sales/65d4…`. They are composed where an event is made from a request, and
 * taken apart where the platform is called.
 */
export interface BotDirectory {
  readonly names: readonly string[];
  /** The client of a bot's platform; `null` if the bot has none, or is not configured. */
  platformOf(bot: string): PlatformClient | null;
  /** The id of a conversation, unique among all bots. */
  conversationIdOf(conversation: PlatformConversation): string;
  /** The inverse. Throws for a conversation of a bot that is not configured. */
  locate(conversationId: string): PlatformConversation;
}

/** The directory of a receiver with one bot, whose ids are the platform's. */
export const singleBot = (platform: PlatformClient | null): BotDirectory => ({
  names: [DEFAULT_BOT],
  platformOf: (bot) => (bot === DEFAULT_BOT ? platform : null),
  conversationIdOf: ({ platformId }) => platformId,
  locate: (conversationId) => ({ bot: DEFAULT_BOT, platformId: conversationId }),
});

/** Whether an id begins with the name of a bot. */
const HAS_BOT = /^([a-z0-9][a-z0-9_-]{0,31})\//i;

/** The bot of a conversation in a receiver with several, by its id. */
export const botOfId = (conversationId: string): string => HAS_BOT.exec(conversationId)?.[1] ?? DEFAULT_BOT;

/**
 * The directory of several bots. The bot named `default` keeps the platform's ids, so that an application with one
 * bot can add others; an id of its platform that looks like another bot's is written `default/…`.
 */
export function severalBots(platforms: ReadonlyMap<string, PlatformClient | null>): BotDirectory {
  return {
    names: [...platforms.keys()],
    platformOf: (bot) => platforms.get(bot) ?? null,
    conversationIdOf: ({ bot, platformId }) =>
      bot === DEFAULT_BOT && !HAS_BOT.test(platformId) ? platformId : `${bot}/${platformId}`,
    locate(conversationId) {
      const bot = botOfId(conversationId);
      const platformId = HAS_BOT.test(conversationId) ? conversationId.slice(bot.length + 1) : conversationId;
      if (platforms.has(bot)) return { bot, platformId };
      throw new HandoffKitError(
        'BOT_NOT_CONFIGURED',
        `this receiver has no bot ${JSON.stringify(bot)}, to which the conversation belongs. Its bots are ${[...platforms.keys()].join(', ')}. Ids of conversations are written <bot>/<id of the platform>.`,
      );
    },
  };
}
