import { type AdapterHttpOptions, checkIds, checkSecrets, checkWords } from '../../bridge/index.js';
import { checkOptionNames } from '../../internal/index.js';

export interface ZendeskSettings {
  /** The URL of the Conversations API, such as `https://example.zendesk.com/sc`. */
  readonly apiUrl: string;
  /** The App ID of the Conversations API key. */
  readonly appId: string;
  /** The Key ID of the Conversations API key. */
  readonly keyId: string;
  /** The Secret key of the Conversations API key. */
  readonly keySecret: string;
  /** The shared secret of the webhook, which Zendesk sends as `X-API-Key`. Several during a rotation. */
  readonly webhookSecret: string | readonly string[];
  /**
   * The signing secret of the webhook that a trigger calls when a ticket is solved, which ends the handoff. Several during
   * a rotation. Without it, the handoff ends when Zendesk releases the conversation.
   */
  readonly ticketWebhookSecret?: string | readonly string[];
  /** The name of the switchboard integration where agents answer. Default `zd-agentWorkspace`. */
  readonly agentIntegration?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

const NAMES: readonly (keyof ZendeskSettings)[] = [
  'apiUrl',
  'appId',
  'keyId',
  'keySecret',
  'webhookSecret',
  'ticketWebhookSecret',
  'agentIntegration',
  'fetch',
];

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings(settings: ZendeskSettings) {
  checkOptionNames('zendesk', settings, NAMES);
  const {
    apiUrl,
    appId,
    keyId,
    keySecret,
    webhookSecret,
    ticketWebhookSecret,
    agentIntegration = 'zd-agentWorkspace',
    fetch = globalThis.fetch,
  } = settings;
  checkIds('Zendesk', { appId, keyId, agentIntegration });
  checkWords('Zendesk', { keySecret });
  const webhookSecrets = checkSecrets(
    webhookSecret,
    'Zendesk: webhookSecret is empty; copy the shared secret of the webhook.',
  );
  const ticketSecrets =
    ticketWebhookSecret === undefined
      ? null
      : checkSecrets(
          ticketWebhookSecret,
          'Zendesk: ticketWebhookSecret is empty; copy the signing secret of the webhook, or leave it out.',
        );
  // Of Basic authentication.
  const credentials = Buffer.from(`${keyId}:${keySecret}`).toString('base64');
  return { apiUrl, appId, credentials, webhookSecrets, ticketSecrets, agentIntegration, fetch };
}

/** {@link ZendeskSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;
