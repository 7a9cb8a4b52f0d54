import { checkOptionNames, configError } from '../../internal/index.js';
import type { DiscordSettings } from './discord-threads.js';
import type { ChatInstance, PlatformAdapter, SdkWebhook } from './sdk.js';

/**
 * Settings of {@link chatSdk}.
 *
 * @example
 * const settings: ChatSdkSettings = { chat, channel: 'discord:1096…:1097…' };
 */
export interface ChatSdkSettings {
  /** A `Chat` of the Vercel Chat SDK, with `concurrency: 'concurrent'`. */
  readonly chat: ChatInstance;
  /** The SDK's id of the channel for conversations, such as `slack:C0123456789` or `telegram:-1001234567890`. */
  readonly channel: string;
  /** A reply whose last word is one of these closes the conversation. Default `!close`. */
  readonly closeWords?: readonly string[];
  /** A reply with this prefix is an internal note: the user does not see it. Default `//`. */
  readonly insidePrefix?: string;
  /** For Discord only. */
  readonly discord?: DiscordSettings;
}

/** {@link ChatSdkSettings}, validated and with defaults. */
export interface CheckedSettings {
  readonly chat: ChatInstance;
  readonly channel: string;
  /** The name under which the `Chat` has the platform's adapter. */
  readonly adapterName: string;
  readonly adapter: PlatformAdapter;
  readonly webhook: SdkWebhook;
  /** In lower case. */
  readonly closeWords: readonly string[];
  readonly insidePrefix: string;
}

const NAMES: readonly (keyof ChatSdkSettings)[] = [
  'chat',
  'channel',
  'closeWords',
  'insidePrefix',
  'discord',
];

/** Validates the settings and fills in the defaults. */
export function checkSettings(settings: ChatSdkSettings): CheckedSettings {
  checkOptionNames('chatSdk', settings, NAMES);
  const { chat, channel, closeWords = ['!close'], insidePrefix = '//' } = settings;
  const adapterName = channel.split(':')[0] ?? '';
  const adapter = chat.getAdapter(adapterName) as PlatformAdapter | undefined;
  const webhook = chat.webhooks[adapterName];
  if (!adapter || !webhook) {
    throw configError(
      `chat-sdk: the Chat has no adapter ${JSON.stringify(adapterName)}. channel must be an id of the SDK, such as slack:C0123456789, that begins with the name of one of the Chat's adapters.`,
    );
  }
  if (closeWords.length === 0 || closeWords.some((word) => !/^\S+$/.test(word))) {
    throw configError(
      'chat-sdk: closeWords must have at least one word, each without spaces. Without one agents cannot close a conversation.',
    );
  }
  if (insidePrefix.trim() === '') {
    throw configError('chat-sdk: insidePrefix must not be empty, or every reply would be an internal note.');
  }
  return {
    chat,
    channel,
    adapterName,
    adapter,
    webhook,
    closeWords: closeWords.map((word) => word.toLowerCase()),
    insidePrefix: insidePrefix.trim(),
  };
}
