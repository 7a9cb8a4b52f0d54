import { chatwoot } from '../../adapters/chatwoot/index.js';
import { requestTracker } from '../../adapters/request-tracker/index.js';
import { slack } from '../../adapters/slack/index.js';
import type { Adapter } from '../../bridge/index.js';

/** Settings as text, before they are checked. */
export type SettingTexts<Key extends string> = Readonly<Partial<Record<Key, string | undefined>>>;

/** The settings of all adapters. */
export type AdapterSettingKey =
  | 'rtUrl'
  | 'rtToken'
  | 'rtQueue'
  | 'rtWebhookSecret'
  | 'chatwootUrl'
  | 'chatwootInbox'
  | 'chatwootWebhookSecret'
  | 'chatwootHmacToken'
  | 'slackBotToken'
  | 'slackSigningSecret'
  | 'slackChannel'
  | 'slackTeamUrl';

/** An adapter that settings can name. */
export interface AdapterEntry {
  /** Without them it cannot work. */
  readonly needs: readonly AdapterSettingKey[];
  readonly takes: readonly AdapterSettingKey[];
  /** Makes it; throws where a setting cannot be right. */
  make(settings: SettingTexts<AdapterSettingKey>): Adapter;
}

/** A secret may be a list, while it is being changed. */
const secretsOf = (text: string): readonly string[] => text.split(',').map((each) => each.trim());

/** Every adapter for a system of its own, by the name that ADAPTER gives it. */
export const ADAPTER_CATALOG = {
  'request-tracker': {
    needs: ['rtUrl', 'rtToken', 'rtQueue'],
    takes: ['rtWebhookSecret'],
    make: ({ rtUrl = '', rtToken = '', rtQueue = '', rtWebhookSecret }) =>
      requestTracker({
        url: rtUrl,
        token: rtToken,
        queue: rtQueue,
        ...(rtWebhookSecret !== undefined && { webhookSecret: secretsOf(rtWebhookSecret) }),
      }),
  },
  chatwoot: {
    needs: ['chatwootUrl', 'chatwootInbox', 'chatwootWebhookSecret'],
    takes: ['chatwootHmacToken'],
    make: ({ chatwootUrl = '', chatwootInbox = '', chatwootWebhookSecret = '', chatwootHmacToken }) =>
      chatwoot({
        url: chatwootUrl,
        inbox: chatwootInbox,
        webhookSecret: secretsOf(chatwootWebhookSecret),
        ...(chatwootHmacToken !== undefined && { hmacToken: chatwootHmacToken }),
      }),
  },
  slack: {
    needs: ['slackBotToken', 'slackSigningSecret', 'slackChannel'],
    takes: ['slackTeamUrl'],
    make: ({ slackBotToken = '', slackSigningSecret = '', slackChannel = '', slackTeamUrl }) =>
      slack({
        botToken: slackBotToken,
        signingSecret: secretsOf(slackSigningSecret),
        channel: slackChannel,
        ...(slackTeamUrl !== undefined && { teamUrl: slackTeamUrl }),
      }),
  },
} as const satisfies Record<string, AdapterEntry>;

/** The name of an adapter for a system of its own. */
export type AdapterName = keyof typeof ADAPTER_CATALOG;

/** Their names, for lists of choices. */
export const ADAPTER_NAMES = Object.keys(ADAPTER_CATALOG) as readonly AdapterName[];

/** Where an adapter's system sends its webhooks. */
export const adapterPath = (name: string): string => `/adapters/${name}`;
