import { type AdapterHttpOptions, checkSecrets, checkWords } from '../../bridge/index.js';
import { checkOptionNames } from '../../internal/index.js';

export interface LiveChatSettings {
  /** The Client Id of the app, from the Developer Console, App authorization. */
  readonly clientId: string;
  /** The Client Secret of the app. */
  readonly clientSecret: string;
  /** A refresh token of an agent who authorized the app. */
  readonly refreshToken: string;
  /** The secret key that was given when the webhooks were registered. Several during a rotation. */
  readonly webhookSecret: string | readonly string[];
  /** The URL of the chat APIs. Default `https://api.livechatinc.com`. */
  readonly apiUrl?: string;
  /** The URL of the authorization server. Default `https://accounts.livechat.com`. */
  readonly accountsUrl?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

const NAMES: readonly (keyof LiveChatSettings)[] = [
  'clientId',
  'clientSecret',
  'refreshToken',
  'webhookSecret',
  'apiUrl',
  'accountsUrl',
  'fetch',
];

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings(settings: LiveChatSettings) {
  checkOptionNames('livechat', settings, NAMES);
  const { clientId, clientSecret, refreshToken, webhookSecret, fetch = globalThis.fetch } = settings;
  const { apiUrl = 'https://api.livechatinc.com', accountsUrl = 'https://accounts.livechat.com' } = settings;
  checkWords('LiveChat', { clientId, clientSecret, refreshToken });
  const webhookSecrets = checkSecrets(
    webhookSecret,
    'LiveChat: webhookSecret is empty; it is the secret key of the registered webhooks.',
  );
  return { clientId, clientSecret, refreshToken, webhookSecrets, apiUrl, accountsUrl, fetch };
}

/** {@link LiveChatSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;
