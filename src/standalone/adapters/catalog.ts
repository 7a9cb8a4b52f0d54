import type { Adapter } from '../../bridge/index.js';
import { listOf, namesOf } from './lists.js';

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
  | 'slackNames'
  | 'slackCloseWords'
  | 'slackInsidePrefix'
  | 'slackTeamUrl'
  | 'slackApiUrl';

/** An adapter that settings can name. */
export interface AdapterEntry {
  /** Without them it cannot work. */
  readonly needs: readonly AdapterSettingKey[];
  readonly takes: readonly AdapterSettingKey[];
  /** What it needs, in the right form: together with these, each setting is judged by itself. */
  readonly samples: SettingTexts<AdapterSettingKey>;
  /** Loads it and makes it; rejects where a setting cannot be right. */
  make(settings: SettingTexts<AdapterSettingKey>): Promise<Adapter>;
}

/** Every adapter for a system of its own, by the name that ADAPTER gives it. */
export const ADAPTER_CATALOG = {
  'request-tracker': {
    needs: ['rtUrl', 'rtToken', 'rtQueue'],
    takes: ['rtWebhookSecret'],
    samples: { rtUrl: 'https://rt.example', rtToken: `1-2-${'a'.repeat(32)}`, rtQueue: 'General' },
    async make({ rtUrl = '', rtToken = '', rtQueue = '', rtWebhookSecret }) {
      const { requestTracker } = await import('../../adapters/request-tracker/index.js');
      return requestTracker({
        url: rtUrl,
        token: rtToken,
        queue: rtQueue,
        ...(rtWebhookSecret !== undefined && { webhookSecret: listOf(rtWebhookSecret) }),
      });
    },
  },
  chatwoot: {
    needs: ['chatwootUrl', 'chatwootInbox', 'chatwootWebhookSecret'],
    takes: ['chatwootHmacToken'],
    samples: { chatwootUrl: 'https://chat.example', chatwootInbox: 'any', chatwootWebhookSecret: 'any' },
    async make({ chatwootUrl = '', chatwootInbox = '', chatwootWebhookSecret = '', chatwootHmacToken }) {
      const { chatwoot } = await import('../../adapters/chatwoot/index.js');
      return chatwoot({
        url: chatwootUrl,
        inbox: chatwootInbox,
        webhookSecret: listOf(chatwootWebhookSecret),
        ...(chatwootHmacToken !== undefined && { hmacToken: chatwootHmacToken }),
      });
    },
  },
  slack: {
    needs: ['slackBotToken', 'slackSigningSecret', 'slackChannel'],
    takes: ['slackNames', 'slackCloseWords', 'slackInsidePrefix', 'slackTeamUrl', 'slackApiUrl'],
    samples: { slackBotToken: 'xoxb-any', slackSigningSecret: 'any', slackChannel: 'C0123456789' },
    async make(settings) {
      const { slack } = await import('../../adapters/slack/index.js');
      return slack({
        botToken: settings.slackBotToken ?? '',
        signingSecret: listOf(settings.slackSigningSecret ?? ''),
        channel: settings.slackChannel ?? '',
        ...(settings.slackNames !== undefined && { names: namesOf(settings.slackNames) }),
        ...(settings.slackCloseWords !== undefined && { closeWords: listOf(settings.slackCloseWords) }),
        ...(settings.slackInsidePrefix !== undefined && { insidePrefix: settings.slackInsidePrefix }),
        ...(settings.slackTeamUrl !== undefined && { teamUrl: settings.slackTeamUrl }),
        ...(settings.slackApiUrl !== undefined && { apiUrl: settings.slackApiUrl }),
      });
    },
  },
} as const satisfies Record<string, AdapterEntry>;

/** The name of an adapter for a system of its own. */
export type AdapterName = keyof typeof ADAPTER_CATALOG;

/** Their names, for lists of choices. */
export const ADAPTER_NAMES = Object.keys(ADAPTER_CATALOG) as readonly AdapterName[];

/** All settings of an adapter, those that it needs first. */
export const settingsOf = (name: AdapterName): readonly AdapterSettingKey[] => {
  const { needs, takes } = ADAPTER_CATALOG[name];
  return [...needs, ...takes];
};

/** Where an adapter's system sends its webhooks. */
export const adapterPath = (name: string): string => `/adapters/${name}`;
