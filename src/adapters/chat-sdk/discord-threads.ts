import { type AdapterCall, type AdapterHttpOptions, createAdapterHttp } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';

/** Settings for Discord: the SDK has no public way to start a thread, so the adapter uses Discord's REST API. */
export interface DiscordSettings {
  /** The bot's token. Default: the environment variable `DISCORD_BOT_TOKEN`, which the SDK reads too. */
  readonly botToken?: string;
  /** The URL of the REST API. Default: `DISCORD_API_URL`, or `https://discord.com/api/v10`. */
  readonly apiUrl?: string;
}

/** Starts a thread from a message, and returns its id. A message that has one keeps it. */
export type StartDiscordThread = (channelId: string, messageId: string, call: AdapterCall) => Promise<string>;

export function createStartDiscordThread({
  botToken = process.env.DISCORD_BOT_TOKEN ?? '',
  apiUrl = process.env.DISCORD_API_URL ?? 'https://discord.com/api/v10',
}: DiscordSettings): StartDiscordThread {
  if (botToken.trim() === '') {
    throw configError(
      'chat-sdk: Discord needs discord.botToken, or DISCORD_BOT_TOKEN in the environment, to start threads.',
    );
  }
  const http = createAdapterHttp({
    helpdesk: 'discord',
    baseUrl: apiUrl,
    headers: { authorization: `Bot ${botToken.trim()}` },
    fetch: withExistingThread,
  });
  return async (channelId, messageId, call) => {
    const path = `/channels/${encodeURIComponent(channelId)}/messages/${encodeURIComponent(messageId)}/threads`;
    const json = { name: 'Conversation', auto_archive_duration: MINUTES_OF_A_DAY };
    await http({ method: 'POST', path, json }, call);
    // Discord gives a thread the id of its first message.
    return messageId;
  };
}

const MINUTES_OF_A_DAY = 1_440;
const THREAD_EXISTS = /"code":\s*160004\b/;

/** Discord refuses a second thread of a message. An earlier attempt has started the first. */
const withExistingThread: NonNullable<AdapterHttpOptions['fetch']> = async (url, init) => {
  const response = await globalThis.fetch(url, init);
  if (response.status !== 400) return response;
  const text = await response.text();
  return new Response(null, { status: THREAD_EXISTS.test(text) ? 204 : 400 });
};
