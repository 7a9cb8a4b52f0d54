import type { AdapterCall, AdapterCapabilities } from '../../bridge/index.js';
import { createStartDiscordThread, type DiscordSettings } from './discord-threads.js';
import type { PlatformAdapter, SdkPosted } from './sdk.js';

/** A platform of the SDK, as far as it differs from the others. */
export interface Platform {
  /** Such as `teams`. */
  readonly name: string;
  readonly maxTextLength: number;
  readonly rate: NonNullable<AdapterCapabilities['rate']>;
  /** `false`: all conversations share the channel, and each message names its own by a reference. */
  readonly hasThreads: boolean;
  /** Writes a text so that the platform shows it literally, without styles and without mentions. */
  literal(text: string): string;
  /** The same for a thread that we post to and for the messages in it. */
  idOf(threadId: string): string;
  isInChannel(threadId: string): boolean;
  /** The thread of a message in the channel. Starts it where the platform does not do that by itself. */
  threadOf(root: SdkPosted, call: AdapterCall): Promise<string | null>;
}

interface Limits {
  /** Below the platform's limit by the length of a reference. The SDK cuts longer texts without notice. */
  readonly maxTextLength: number;
  readonly rate: NonNullable<AdapterCapabilities['rate']>;
}

const perSecond = { count: 1, perMs: 1_000 } as const;

/** From the platforms' documentation. */
const LIMITS: Readonly<Record<string, Limits>> = {
  slack: { maxTextLength: 3_800, rate: { overall: perSecond, perConversation: perSecond } },
  teams: { maxTextLength: 3_500, rate: { perConversation: perSecond } },
  discord: { maxTextLength: 1_900, rate: { perConversation: perSecond } },
  telegram: { maxTextLength: 4_000, rate: { overall: { count: 20, perMs: 60_000 } } },
  whatsapp: { maxTextLength: 4_000, rate: { overall: perSecond } },
};
/** Google Chat counts bytes: 4,096. Platforms that are not listed get its limits. */
const SMALLEST: Limits = { maxTextLength: 1_300, rate: { overall: perSecond } };

/** Longest message of Discord: the SDK cuts longer ones, and backslashes count. */
const DISCORD_MAX = 2_000;

/** Reads the rules of a channel's platform. */
export function createPlatform(
  adapter: PlatformAdapter,
  channel: string,
  discord: DiscordSettings = {},
): Platform {
  const { name } = adapter;
  const startDiscordThread = name === 'discord' ? createStartDiscordThread(discord) : null;
  const teams = name === 'teams' ? teamsOf(adapter) : null;
  const idOf = (threadId: string): string =>
    teams ? `teams:${teams.decode(threadId).conversationId}` : threadId;
  const channelId = idOf(channel);
  return {
    name,
    ...(LIMITS[name] ?? SMALLEST),
    hasThreads: hasThreads(adapter, channel),
    // Replaces lone surrogates, which platforms reject.
    literal: (text) => (LITERAL[name] ?? unchanged)(Buffer.from(text, 'utf8').toString('utf8')),
    idOf,
    isInChannel(threadId) {
      // Other platforms of the same Chat have ids of other forms.
      if (threadId.split(':')[0] !== channel.split(':')[0]) return false;
      return idOf(threadId) === channelId || idOf(adapter.channelIdFromThreadId(threadId)) === channelId;
    },
    async threadOf(root, call) {
      if (teams) return teams.threadOf(channel, root.id);
      if (startDiscordThread)
        return `${channel}:${await startDiscordThread(channel.split(':')[2] ?? '', root.id, call)}`;
      if (name === 'gchat') return googleChatThread(channel, root.raw);
      return root.threadId === channel ? null : root.threadId;
    },
  };
}

function hasThreads(adapter: PlatformAdapter, channel: string): boolean {
  if (adapter.name === 'teams') return TEAMS_CHANNEL.test(teamsOf(adapter).decode(channel).conversationId);
  // Slack's direct messages have threads; those of the others do not.
  if (adapter.name !== 'slack' && adapter.isDM?.(channel)) return false;
  return adapter.lockScope !== 'channel';
}

/** Channels of a team have threads, chats and meetings have not. */
const TEAMS_CHANNEL = /@thread\.(tacv2|skype)/;

/** Teams puts the address of a regional server into thread ids, which can change; only the conversation identifies. */
function teamsOf(adapter: PlatformAdapter) {
  const codec = adapter as PlatformAdapter & {
    decodeThreadId(threadId: string): { readonly conversationId: string };
    encodeThreadId(data: { readonly conversationId: string }): string;
  };
  return {
    decode: (threadId: string) => codec.decodeThreadId(threadId),
    threadOf(channel: string, messageId: string): string {
      const data = codec.decodeThreadId(channel);
      const base = data.conversationId.replace(/;messageid=\d+$/, '');
      return codec.encodeThreadId({ ...data, conversationId: `${base};messageid=${messageId}` });
    },
  };
}

/** Google Chat starts a thread with each message, and names it in its answer. */
function googleChatThread(channel: string, raw: unknown): string | null {
  const { thread, message } = Object(raw) as {
    thread?: { name?: string };
    message?: { thread?: { name?: string } };
  };
  const name = thread?.name ?? message?.thread?.name;
  return name === undefined ? null : `${channel}:${Buffer.from(name).toString('base64url')}`;
}

const unchanged = (text: string): string => text;

/** The SDK makes a mention of each `@name`. An invisible character (word joiner) prevents it. */
const withoutMentions = (text: string): string => text.replace(/(?<!\w)@(?=\w)/g, '@\u2060');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** Addresses are left alone: a backslash would become a part of them. */
const escapeMarkdown = (text: string, specials: RegExp): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(specials, '\\$&')))
    .join('');

const LITERAL: Readonly<Record<string, (text: string) => string>> = {
  slack: (text) => withoutMentions(escapeHtml(text)),
  discord(text) {
    const escaped = escapeMarkdown(withoutMentions(text), /[\\*_~`|<>#[\]]/g);
    if (escaped.length <= DISCORD_MAX) return escaped;
    // Replaced, not removed: the wide forms of the two characters keep the length, and mention no user.
    return text.replace(/(?<!\w)@(?=\w)/g, '＠').replace(/<(?=[@#])/g, '＜');
  },
  // Teams joins lines that no empty line separates.
  teams: (text) => escapeHtml(escapeMarkdown(text, /[\\*_~`#[\]]/g)).replace(/\r?\n/g, '\n\n'),
  // No way to escape; these two are all that Google Chat reads in angle brackets.
  gchat: (text) => text.replace(/<(?=users\/|https?:)/g, '<\u2060'),
};
