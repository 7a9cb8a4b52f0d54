import { type AdapterHttpOptions, checkSecrets } from '../../bridge/index.js';
import { checkOptionNames, configError } from '../../internal/index.js';

export interface ChatwootSettings {
  /** The address at which agents open Chatwoot, such as `https://chat.example.com`. */
  readonly url: string;
  /** The Inbox Identifier of the API inbox, from its settings, tab Configuration. Anyone who has it can write to the inbox. */
  readonly inbox: string;
  /**
   * The Webhook Secret of the inbox, from its settings. Several during a rotation, or when an account webhook, which
   * has its own secret, is sent to the same address.
   */
  readonly webhookSecret: string | readonly string[];
  /** The key of User Identity Validation, from the tab Configuration. Required when that is enforced. */
  readonly hmacToken?: string;
  /** Time limit of a request to Chatwoot. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

/** The identifier is part of a path. */
const IDENTIFIER = /^[A-Za-z0-9]+$/;

const NAMES: readonly (keyof ChatwootSettings)[] = [
  'url',
  'inbox',
  'webhookSecret',
  'hmacToken',
  'timeoutMs',
  'fetch',
];

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings(settings: ChatwootSettings) {
  checkOptionNames('chatwoot', settings, NAMES);
  const { url, inbox, webhookSecret, hmacToken, timeoutMs = 10_000, fetch = globalThis.fetch } = settings;
  if (!IDENTIFIER.test(inbox)) {
    throw configError(
      'Chatwoot: the inbox must be its Inbox Identifier, which has letters and digits only; copy it from the inbox settings, tab Configuration.',
    );
  }
  const webhookSecrets = checkSecrets(
    webhookSecret,
    'Chatwoot: the webhook secret is empty; copy it from the inbox settings.',
  );
  return {
    url: url.replace(/\/+$/, ''),
    inbox,
    webhookSecrets,
    hmacToken: hmacToken?.trim() || null,
    timeoutMs,
    fetch,
  };
}

/** {@link ChatwootSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;
