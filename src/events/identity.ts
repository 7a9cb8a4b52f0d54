import { hash, randomUUID } from 'node:crypto';
import type { PlatformClient } from '../client/index.js';
import { configError, HandoffKitError } from '../internal/index.js';
import {
  type HandoffChat,
  isWholeSeconds,
  type WebhookBody,
  type WebhookEndpoint,
} from '../protocol/index.js';

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

/** Longer keys are hashed: remembered keys must stay small. */
const LONGEST_PLAIN_KEY = 160;

/** The part of a key that distinguishes events of one conversation. */
const distinctionOf: {
  [Endpoint in WebhookEndpoint]: (body: WebhookBody<Endpoint>, session: number) => string;
} = {
  message({ message_id, create_time, output }) {
    if (message_id !== null) return message_id;
    return create_time === null || isWholeSeconds(create_time)
      ? randomUUID()
      : `${create_time}:${digest(JSON.stringify(output))}`;
  },
  establish: (body, session) => `${body.timestamp ?? `session ${session}:${digest(JSON.stringify(body))}`}`,
  chat(body) {
    const {
      timestamp,
      body: words,
      message_id: id,
    } = body as HandoffChat & { readonly message_id?: unknown };
    const said = `${timestamp}:${digest(words)}`;
    // Not in the contract, but the best evidence where it is sent.
    if (id && (typeof id === 'string' || typeof id === 'number')) return `${said}:${id}`;
    return timestamp === null || isWholeSeconds(timestamp) ? randomUUID() : said;
  },
  close: ({ timestamp, type }, session) => `${timestamp ?? `session ${session}`}:${type}`,
};

/** A digest, because keys are kept longer than messages. */
const digest = (text: string): string => hash('sha256', text, 'base64url');

/**
 * The idempotency key of an event: equal for two requests with the same event, where that is certain. Where it is not,
 * the keys differ, because a repeated message is better than a lost one.
 *
 * - A message has an id. Without one, it is the same if it has the same output and the same time, finer than a second.
 * - A user's message has none. It is the same if it has the same words and the same time, finer than a second. Where a
 *   deployment sends an id, a coarser time is enough.
 * - A request or a close is the same if it has the same time. Without a time, it is the same if it belongs to the same
 *   session of the conversation, and a request must have the same content.
 *
 * The key of a bot's event begins with the bot's name, unless that is `default`.
 *
 * @param session - what the receiver knows of the conversation; see {@link needsSession}
 */
export function eventKey<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: WebhookBody<Endpoint>,
  { bot = DEFAULT_BOT, session = 0 }: { readonly bot?: string; readonly session?: number | undefined } = {},
): string {
  const conversation = body.conversation_id;
  // The length in front keeps `a:b` + `c` apart from `a` + `b:c`.
  const key = `${endpoint}:${conversation.length}:${conversation}:${distinctionOf[endpoint](body, session)}`;
  const short = key.length <= LONGEST_PLAIN_KEY ? key : digest(key);
  return bot === DEFAULT_BOT ? short : `${bot}/${short}`;
}

/** Whether {@link eventKey} needs the session of the conversation. */
export function needsSession(endpoint: WebhookEndpoint, body: WebhookBody<WebhookEndpoint>): boolean {
  return (endpoint === 'establish' || endpoint === 'close') && 'timestamp' in body && body.timestamp === null;
}
