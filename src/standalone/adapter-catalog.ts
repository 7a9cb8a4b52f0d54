import type { Adapter } from '../bridge/index.js';
import { configError } from '../internal/index.js';

/** Settings as text, before validation. */
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
  | 'slackApiUrl'
  | 'mailSmtpUrl'
  | 'mailImapUrl'
  | 'mailAddress'
  | 'mailTeam'
  | 'mailAgents'
  | 'mailTrustedServer'
  | 'mailReplyAddress'
  | 'mailFolder'
  | 'intercomAccessToken'
  | 'intercomClientSecret'
  | 'intercomApiUrl'
  | 'zendeskApiUrl'
  | 'zendeskAppId'
  | 'zendeskKeyId'
  | 'zendeskKeySecret'
  | 'zendeskWebhookSecret'
  | 'zendeskAgentIntegration'
  | 'livechatClientId'
  | 'livechatClientSecret'
  | 'livechatRefreshToken'
  | 'livechatWebhookSecret'
  | 'livechatApiUrl'
  | 'livechatAccountsUrl'
  | 'zohoSalesiqScreenName'
  | 'zohoSalesiqAppId'
  | 'zohoSalesiqDepartmentId'
  | 'zohoClientId'
  | 'zohoClientSecret'
  | 'zohoRefreshToken'
  | 'zohoSalesiqPublicKey'
  | 'zohoSalesiqApiUrl'
  | 'zohoAccountsUrl';

/** An adapter for a helpdesk. */
export interface AdapterEntry {
  readonly required: readonly AdapterSettingKey[];
  readonly optional: readonly AdapterSettingKey[];
  /** Valid values of the required settings. With them in place, each given setting can be validated alone. */
  readonly samples: SettingTexts<AdapterSettingKey>;
  /** `false` for a system that sends no webhooks. */
  readonly webhooks?: boolean;
  /** Loads and creates the adapter; rejects when a setting is invalid. */
  create(settings: SettingTexts<AdapterSettingKey>): Promise<Adapter>;
}

/** Every adapter for an external system, by its name in ADAPTER. The desk is not one: it is part of this program. */
export const ADAPTER_CATALOG = {
  'request-tracker': {
    required: ['rtUrl', 'rtToken', 'rtQueue'],
    optional: ['rtWebhookSecret'],
    samples: { rtUrl: 'https://rt.example', rtToken: `1-2-${'a'.repeat(32)}`, rtQueue: 'General' },
    async create({ rtUrl = '', rtToken = '', rtQueue = '', rtWebhookSecret }) {
      const { requestTracker } = await import('../adapters/request-tracker/index.js');
      return requestTracker({
        url: rtUrl,
        token: rtToken,
        queue: rtQueue,
        ...(rtWebhookSecret !== undefined && { webhookSecret: splitList(rtWebhookSecret) }),
      });
    },
  },
  chatwoot: {
    required: ['chatwootUrl', 'chatwootInbox', 'chatwootWebhookSecret'],
    optional: ['chatwootHmacToken'],
    samples: { chatwootUrl: 'https://chat.example', chatwootInbox: 'any', chatwootWebhookSecret: 'any' },
    async create({ chatwootUrl = '', chatwootInbox = '', chatwootWebhookSecret = '', chatwootHmacToken }) {
      const { chatwoot } = await import('../adapters/chatwoot/index.js');
      return chatwoot({
        url: chatwootUrl,
        inbox: chatwootInbox,
        webhookSecret: splitList(chatwootWebhookSecret),
        ...(chatwootHmacToken !== undefined && { hmacToken: chatwootHmacToken }),
      });
    },
  },
  slack: {
    required: ['slackBotToken', 'slackSigningSecret', 'slackChannel'],
    optional: ['slackNames', 'slackCloseWords', 'slackInsidePrefix', 'slackTeamUrl', 'slackApiUrl'],
    samples: { slackBotToken: 'xoxb-any', slackSigningSecret: 'any', slackChannel: 'C0123456789' },
    async create(settings) {
      const { slack } = await import('../adapters/slack/index.js');
      return slack({
        botToken: settings.slackBotToken ?? '',
        signingSecret: splitList(settings.slackSigningSecret ?? ''),
        channel: settings.slackChannel ?? '',
        ...(settings.slackNames !== undefined && { names: parseNames(settings.slackNames) }),
        ...(settings.slackCloseWords !== undefined && { closeWords: splitList(settings.slackCloseWords) }),
        ...(settings.slackInsidePrefix !== undefined && { insidePrefix: settings.slackInsidePrefix }),
        ...(settings.slackTeamUrl !== undefined && { teamUrl: settings.slackTeamUrl }),
        ...(settings.slackApiUrl !== undefined && { apiUrl: settings.slackApiUrl }),
      });
    },
  },
  email: {
    required: ['mailSmtpUrl', 'mailImapUrl', 'mailAddress', 'mailTeam', 'mailAgents', 'mailTrustedServer'],
    optional: ['mailReplyAddress', 'mailFolder'],
    samples: {
      mailSmtpUrl: 'smtps://user:any@mail.example',
      mailImapUrl: 'imaps://user:any@mail.example',
      mailAddress: 'handoff@mail.example',
      mailTeam: 'team@mail.example',
      mailAgents: '@mail.example',
      mailTrustedServer: 'mail.example',
    },
    webhooks: false,
    async create(settings) {
      const { email } = await import('../adapters/email/index.js');
      const { mailTrustedServer = '', mailReplyAddress, mailFolder } = settings;
      return email({
        smtpUrl: settings.mailSmtpUrl ?? '',
        imapUrl: settings.mailImapUrl ?? '',
        address: settings.mailAddress ?? '',
        team: splitList(settings.mailTeam ?? ''),
        agents: splitList(settings.mailAgents ?? ''),
        trustedServer: mailTrustedServer.trim() === 'none' ? null : mailTrustedServer,
        ...(mailReplyAddress !== undefined && { replyAddress: mailReplyAddress }),
        ...(mailFolder !== undefined && { mailbox: mailFolder }),
      });
    },
  },
  intercom: {
    required: ['intercomAccessToken', 'intercomClientSecret'],
    optional: ['intercomApiUrl'],
    samples: { intercomAccessToken: 'any', intercomClientSecret: 'any' },
    async create({ intercomAccessToken = '', intercomClientSecret = '', intercomApiUrl }) {
      const { intercom } = await import('../adapters/intercom/index.js');
      return intercom({
        accessToken: intercomAccessToken,
        clientSecret: splitList(intercomClientSecret),
        ...(intercomApiUrl !== undefined && { apiUrl: intercomApiUrl }),
      });
    },
  },
  zendesk: {
    required: ['zendeskApiUrl', 'zendeskAppId', 'zendeskKeyId', 'zendeskKeySecret', 'zendeskWebhookSecret'],
    optional: ['zendeskAgentIntegration'],
    samples: {
      zendeskApiUrl: 'https://any.zendesk.com/sc',
      zendeskAppId: 'any',
      zendeskKeyId: 'any',
      zendeskKeySecret: 'any',
      zendeskWebhookSecret: 'any',
    },
    async create(settings) {
      const { zendesk } = await import('../adapters/zendesk/index.js');
      return zendesk({
        apiUrl: settings.zendeskApiUrl ?? '',
        appId: settings.zendeskAppId ?? '',
        keyId: settings.zendeskKeyId ?? '',
        keySecret: settings.zendeskKeySecret ?? '',
        webhookSecret: splitList(settings.zendeskWebhookSecret ?? ''),
        ...(settings.zendeskAgentIntegration !== undefined && {
          agentIntegration: settings.zendeskAgentIntegration,
        }),
      });
    },
  },
  livechat: {
    required: ['livechatClientId', 'livechatClientSecret', 'livechatRefreshToken', 'livechatWebhookSecret'],
    optional: ['livechatApiUrl', 'livechatAccountsUrl'],
    samples: {
      livechatClientId: 'any',
      livechatClientSecret: 'any',
      livechatRefreshToken: 'any',
      livechatWebhookSecret: 'any',
    },
    async create(settings) {
      const { livechat } = await import('../adapters/livechat/index.js');
      return livechat({
        clientId: settings.livechatClientId ?? '',
        clientSecret: settings.livechatClientSecret ?? '',
        refreshToken: settings.livechatRefreshToken ?? '',
        webhookSecret: splitList(settings.livechatWebhookSecret ?? ''),
        ...(settings.livechatApiUrl !== undefined && { apiUrl: settings.livechatApiUrl }),
        ...(settings.livechatAccountsUrl !== undefined && { accountsUrl: settings.livechatAccountsUrl }),
      });
    },
  },
  'zoho-salesiq': {
    required: [
      'zohoSalesiqScreenName',
      'zohoSalesiqAppId',
      'zohoSalesiqDepartmentId',
      'zohoClientId',
      'zohoClientSecret',
      'zohoRefreshToken',
      'zohoSalesiqPublicKey',
    ],
    optional: ['zohoSalesiqApiUrl', 'zohoAccountsUrl'],
    samples: {
      zohoSalesiqScreenName: 'any',
      zohoSalesiqAppId: 'any',
      zohoSalesiqDepartmentId: 'any',
      zohoClientId: 'any',
      zohoClientSecret: 'any',
      zohoRefreshToken: 'any',
      // The public part of a short key, whose private part was never kept.
      zohoSalesiqPublicKey:
        'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALv3d7SVECVjpBIZn/iwiTqAASAkmQS0oUm1k538PFCWOK1Ezd/ihXkSsz4YOZ9DK0YHX07zJEIkZcO1pj+mJY0CAwEAAQ==',
    },
    async create(settings) {
      const { zohoSalesIq } = await import('../adapters/zoho-salesiq/index.js');
      return zohoSalesIq({
        screenName: settings.zohoSalesiqScreenName ?? '',
        appId: settings.zohoSalesiqAppId ?? '',
        departmentId: settings.zohoSalesiqDepartmentId ?? '',
        clientId: settings.zohoClientId ?? '',
        clientSecret: settings.zohoClientSecret ?? '',
        refreshToken: settings.zohoRefreshToken ?? '',
        publicKey: splitList(settings.zohoSalesiqPublicKey ?? ''),
        ...(settings.zohoSalesiqApiUrl !== undefined && { apiUrl: settings.zohoSalesiqApiUrl }),
        ...(settings.zohoAccountsUrl !== undefined && { accountsUrl: settings.zohoAccountsUrl }),
      });
    },
  },
} as const satisfies Record<string, AdapterEntry>;

/** The name of an adapter in ADAPTER, without `desk` and `none`. */
export type AdapterName = keyof typeof ADAPTER_CATALOG;

/** All adapter names. */
export const ADAPTER_NAMES = Object.keys(ADAPTER_CATALOG) as readonly AdapterName[];

/** All settings of an adapter, the required ones first. */
export const adapterSettings = (name: AdapterName): readonly AdapterSettingKey[] => {
  const { required, optional } = ADAPTER_CATALOG[name];
  return [...required, ...optional];
};

/** The path to which the external system sends its webhooks. */
export const adapterPath = (name: string): string => `/adapters/${name}`;

/** Splits a setting at its commas: several words, or two secrets during a rotation. */
export function splitList(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

/** The systems that have bots of their own, each with the ids of its bots. */
export type BotAdapters = ReadonlyMap<AdapterName | 'desk', readonly string[]>;

/** Parses BOT_ADAPTERS, such as `65d4a1=slack, 65d4a2=desk`. */
export function parseBotAdapters(text: string): BotAdapters {
  const adapters = new Map<AdapterName | 'desk', string[]>();
  for (const part of splitList(text)) {
    const [, botId, given] = /^([^=\s]+)\s*=\s*(\S+)$/.exec(part) ?? [];
    const name = (['desk', ...ADAPTER_NAMES] as const).find((known) => known === given);
    if (botId === undefined || name === undefined) {
      throw configError(
        `must be bot ids with systems, such as 65d4a1=slack, 65d4a2=desk. The systems are desk, ${ADAPTER_NAMES.join(', ')}.`,
      );
    }
    if ([...adapters.values()].flat().includes(botId)) throw configError('names a bot twice.');
    adapters.set(name, [...(adapters.get(name) ?? []), botId]);
  }
  return adapters;
}

const NAMED_ID = /^([UW][A-Z0-9]+)\s*=\s*(.+)$/s;

/** Parses names by user id, such as `U0123456789=Ann, U0987654321=Ben`. */
function parseNames(text: string): Readonly<Record<string, string>> {
  const pairs = splitList(text).map((part): [string, string] => {
    const [, id, name] = NAMED_ID.exec(part) ?? [];
    if (id !== undefined && name !== undefined) return [id, name];
    throw configError('must be user ids with names, such as U0123456789=Ann, U0987654321=Ben.');
  });
  return Object.fromEntries(pairs);
}
