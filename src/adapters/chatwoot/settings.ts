import type { AdapterHttpOptions } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';

/** Settings of the Chatwoot adapter. */
export interface ChatwootSettings {
  /** Where Chatwoot is, as agents open it: `https://chat.example.com`. */
  readonly url: string;
  /** The Inbox Identifier of the API inbox, from its settings, tab Configuration. Whoever has it can write to the inbox. */
  readonly inbox: string;
  /**
   * The Webhook Secret of the inbox, from its settings. Several while one is being changed, or when an account
   * webhook, which has a secret of its own, comes here too.
   */
  readonly webhookSecret: string | readonly string[];
  /** The key of User Identity Validation, from the tab Configuration. Needed where that is enforced. */
  readonly hmacToken?: string;
  /** How long an answer of Chatwoot may take. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

/** Settings that were looked at, with everything filled in. */
export interface CheckedSettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly inbox: string;
  readonly webhookSecrets: readonly string[];
  readonly hmacToken: string | null;
  readonly timeoutMs: number;
  readonly fetch: NonNullable<AdapterHttpOptions['fetch']>;
}

/** The identifier stands in a path; anything but letters and digits there was copied from somewhere else. */
const IDENTIFIER = /^[A-Za-z0-9]+$/;

/** Refuses settings with which nothing could work. No message holds what was set. */
export function checkedSettings({
  url,
  inbox,
  webhookSecret,
  hmacToken,
  timeoutMs = 10_000,
  fetch = globalThis.fetch,
}: ChatwootSettings): CheckedSettings {
  if (!IDENTIFIER.test(inbox)) {
    throw configError(
      'Chatwoot: the inbox is named by its Inbox Identifier, which is letters and digits only; copy it from the inbox settings, tab Configuration.',
    );
  }
  const webhookSecrets = [webhookSecret].flat().map((secret) => secret.trim());
  if (webhookSecrets.length === 0 || webhookSecrets.includes('')) {
    throw configError('Chatwoot: the webhook secret is empty; copy it from the inbox settings.');
  }
  return {
    url: url.replace(/\/+$/, ''),
    inbox,
    webhookSecrets,
    hmacToken: hmacToken?.trim() || null,
    timeoutMs,
    fetch,
  };
}
