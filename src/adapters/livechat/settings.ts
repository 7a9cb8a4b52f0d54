import type { AdapterHttpOptions } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';

/** Settings of {@link livechat}. */
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

/** {@link LiveChatSettings}, validated and with defaults. */
export interface CheckedSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string;
  readonly accountsUrl: string;
  readonly fetch: NonNullable<AdapterHttpOptions['fetch']>;
}

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings({
  clientId,
  clientSecret,
  refreshToken,
  webhookSecret,
  apiUrl = 'https://api.livechatinc.com',
  accountsUrl = 'https://accounts.livechat.com',
  fetch = globalThis.fetch,
}: LiveChatSettings): CheckedSettings {
  for (const [name, value] of Object.entries({ clientId, clientSecret, refreshToken })) {
    if (value !== '' && !/\s/.test(value)) continue;
    throw configError(`LiveChat: ${name} must not be empty or contain white space; copy it again.`);
  }
  const webhookSecrets = [webhookSecret].flat().map((secret) => secret.trim());
  if (webhookSecrets.length === 0 || webhookSecrets.includes('')) {
    throw configError('LiveChat: webhookSecret is empty; it is the secret key of the registered webhooks.');
  }
  return { clientId, clientSecret, refreshToken, webhookSecrets, apiUrl, accountsUrl, fetch };
}
