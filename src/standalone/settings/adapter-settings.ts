import { z } from 'zod';
import type { Adapter } from '../../bridge/index.js';
import { type SettingTexts, valuesOf } from './setting.js';
import { httpUrl, list, matching, pairs } from './setting-forms.js';

/** An adapter for a helpdesk. */
export interface AdapterEntry {
  /** Its options, each with the setting that it comes from. */
  readonly schema: z.ZodObject;
  /** `false` for a helpdesk that sends no webhooks. */
  readonly webhooks: boolean;
  /** Loads and creates the adapter; rejects when a setting is invalid. */
  create(texts: SettingTexts): Promise<Adapter>;
}

function adapter<Schema extends z.ZodObject>(
  schema: Schema,
  create: (options: z.output<Schema>) => Promise<Adapter>,
  { webhooks = true } = {},
): AdapterEntry {
  return { schema, webhooks, create: async (texts) => create(schema.parse(valuesOf(schema, texts))) };
}

const url = httpUrl('must be a URL that begins with http:// or https://, without user and password.');
/** A text that may be missing. */
const text = z.string().exactOptional();
/** An identifier, which is part of a path. */
const id = matching(/^[\w-]+$/, 'must be letters, digits, hyphens and underscores. Copy it again.');
/** A token or a key. A truncated copy has white space. */
const word = matching(/^\S+$/, 'must not contain white space. Copy it again.');
/** The secrets of webhooks: several during a rotation. */
const secrets = list(z.string().min(1, 'has an empty part. Separate two secrets by one comma.'));
const address = matching(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address, such as help@example.com.');

/** Every adapter for a helpdesk, by its name in ADAPTER. The desk is not one: it is part of this program. */
export const ADAPTERS = {
  'request-tracker': adapter(
    z.object({
      url: url.describe('RT_URL=<url>: the URL of Request Tracker'),
      token: matching(
        /^\d+-\d+-[0-9a-f]{16,}$/i,
        'must be an auth token: 1-, the number of the user, a hyphen and 32 characters. Create one at Admin > Users > (the user) > Auth Tokens.',
      ).describe("RT_TOKEN=<token>: an auth token of Request Tracker's user"),
      queue: z.string().describe('RT_QUEUE=<name>: the queue for tickets'),
      webhookSecret: list(
        z.string().min(16, 'must have 16 characters or more. Make one: openssl rand -hex 32'),
      )
        .exactOptional()
        .describe(
          'RT_WEBHOOK_SECRET=<secret>: the secret that the Scrip signs with, or several separated by commas; without it Request Tracker is polled for replies',
        ),
    }),
    async (options) => (await import('../../adapters/request-tracker/index.js')).requestTracker(options),
  ),
  chatwoot: adapter(
    z.object({
      url: url.describe('CHATWOOT_URL=<url>: the URL of Chatwoot'),
      inbox: matching(
        /^[A-Za-z0-9]+$/,
        'must be the Inbox Identifier, which has letters and digits only. Copy it from the inbox settings, tab Configuration.',
      ).describe('CHATWOOT_INBOX=<identifier>: the Inbox Identifier of the API inbox'),
      webhookSecret: secrets.describe(
        'CHATWOOT_WEBHOOK_SECRET=<secret>: the secret that Chatwoot signs with, or several separated by commas',
      ),
      hmacToken: text.describe(
        'CHATWOOT_HMAC_TOKEN=<token>: the key of User Identity Validation, if the inbox enforces it',
      ),
    }),
    async (options) => (await import('../../adapters/chatwoot/index.js')).chatwoot(options),
  ),
  slack: adapter(
    z.object({
      botToken: matching(
        /^(xoxe\.)?xoxb-[\w-]+$/,
        'must be the "Bot User OAuth Token" of the app; it begins with xoxb-.',
      ).describe('SLACK_BOT_TOKEN=<token>: the Bot User OAuth Token of the app'),
      signingSecret: secrets.describe(
        'SLACK_SIGNING_SECRET=<secret>: the Signing Secret of the app, or several separated by commas',
      ),
      channel: matching(
        /^[CG][A-Z0-9]{2,}$/,
        "must be the id of a channel, such as C0123456789; Slack shows it at the end of the channel's details.",
      ).describe('SLACK_CHANNEL=<id>: the id of the channel'),
      closeWords: list(matching(/^\S+$/, 'must be words without spaces, separated by commas.'))
        .exactOptional()
        .describe(
          'SLACK_CLOSE_WORDS=<words>: a reply that ends with one of these words closes the conversation; default !close',
        ),
      insidePrefix: text.describe(
        'SLACK_INSIDE_PREFIX=<text>: messages that begin with this prefix are not sent to the user; default //',
      ),
      teamUrl: httpUrl('must be the address of the workspace, such as https://example.slack.com.')
        .exactOptional()
        .describe('SLACK_TEAM_URL=<url>: the address of the workspace, for links'),
    }),
    async (options) => (await import('../../adapters/slack/index.js')).slack(options),
  ),
  lark: adapter(
    z.object({
      appId: id.describe('LARK_APP_ID=<id>: the App ID of the app'),
      appSecret: word.describe('LARK_APP_SECRET=<secret>: the App Secret of the app'),
      encryptKey: secrets.describe(
        'LARK_ENCRYPT_KEY=<key>: the Encrypt Key of the app, or several separated by commas',
      ),
      verificationToken: secrets.describe(
        'LARK_VERIFICATION_TOKEN=<token>: the Verification Token of the app, or several separated by commas',
      ),
      chat: matching(
        /^oc_\w+$/,
        'must be the id of a group chat, which begins with oc_; Lark shows it at the end of the group settings.',
      ).describe('LARK_CHAT=<id>: the id of the group chat'),
      domain: url
        .exactOptional()
        .describe(
          'LARK_DOMAIN=<url>: https://open.larksuite.com for Lark; default https://open.feishu.cn, for Feishu',
        ),
      botOpenId: matching(
        /^ou_\w+$/,
        'must be the open id of the bot, which begins with ou_; handoff-kit adapter check prints it.',
      )
        .exactOptional()
        .describe(
          'LARK_BOT_OPEN_ID=<id>: the open id of the bot, so that replies that mention it are shown without the mention',
        ),
      names: pairs(/^ou_\w+\s*=\s*\S/, 'must be open ids with names, such as ou_7d8a=Ann, ou_84aa=Ben.')
        .exactOptional()
        .describe(
          'LARK_NAMES=<names>: the names that users see with AGENT_NAMES, by open id: ou_7d8a=Ann,ou_84aa=Ben',
        ),
      closeWords: list(matching(/^\S+$/, 'must be words without spaces, separated by commas.'))
        .exactOptional()
        .describe(
          'LARK_CLOSE_WORDS=<words>: a reply that ends with one of these words closes the conversation; default !close',
        ),
      insidePrefix: text.describe(
        'LARK_INSIDE_PREFIX=<text>: messages that begin with this prefix are not sent to the user; default //',
      ),
    }),
    async (options) => (await import('../../adapters/lark/index.js')).lark(options),
  ),
  email: adapter(
    z.object({
      smtpUrl: mailServer('smtp', /^smtps?:\/\/[^/\s]+/).describe(
        'MAIL_SMTP_URL=<url>: the server that takes mails: smtps://user:password@host, or smtp://user:password@host for STARTTLS; without a password it logs in with OAuth 2',
      ),
      imapUrl: mailServer('imap', /^imaps?:\/\/[^:@/\s]+(?::[^@/\s]+)?@[^/\s]+/).describe(
        'MAIL_IMAP_URL=<url>: the server with the mailbox for replies: imaps://user:password@host, or imap://user:password@host for STARTTLS; without a password it logs in with OAuth 2',
      ),
      address: address.describe('MAIL_ADDRESS=<address>: the address that mails come from and replies go to'),
      team: list(address).describe(
        "MAIL_TEAM=<addresses>: the address of the team's inbox, or several separated by commas",
      ),
      agents: list(
        matching(
          /^[^\s@]*@[^\s@]+$/,
          'must be the addresses of those who may answer users, or their domains: ann@example.com, @example.org.',
        ),
      ).describe(
        'MAIL_AGENTS=<addresses>: who may answer users: addresses or domains, such as ann@example.com,@example.org',
      ),
      trustedServer: z
        .string()
        .transform((name) => (name.trim() === 'none' ? null : name))
        .describe(
          'MAIL_TRUSTED_SERVER=<name>: the mail server whose Authentication-Results headers verify senders; none believes the From line, for a mailbox that takes no mail from outside',
        ),
      replyAddress: matching(
        /^[^\s@]*\{token\}[^\s@]*@[^\s@]+$/,
        'must be an address with {token} before the @, such as handoff+{token}@example.com.',
      )
        .exactOptional()
        .describe(
          'MAIL_REPLY_ADDRESS=<address>: an address for replies that tells the conversation, such as handoff+{token}@example.com, if the server delivers it to the same mailbox',
        ),
      mailbox: text.describe('MAIL_FOLDER=<name>: the folder in which replies arrive; default INBOX'),
      tokenUrl: httpUrl(
        'must be the address of the token endpoint, such as https://oauth2.googleapis.com/token.',
      )
        .exactOptional()
        .describe(
          'MAIL_OAUTH_TOKEN_URL=<url>: for logins with OAuth 2, the token endpoint: https://login.microsoftonline.com/TENANT/oauth2/v2.0/token or https://oauth2.googleapis.com/token',
        ),
      clientId: word.exactOptional().describe('MAIL_OAUTH_CLIENT_ID=<id>: the client id of the app'),
      clientSecret: word
        .exactOptional()
        .describe('MAIL_OAUTH_CLIENT_SECRET=<secret>: the client secret of the app, if it has one'),
      refreshToken: word
        .exactOptional()
        .describe(
          'MAIL_OAUTH_REFRESH_TOKEN=<token>: a refresh token for the mailbox; without it the app logs in as itself, as Microsoft 365 allows',
        ),
      scope: text.describe(
        'MAIL_OAUTH_SCOPE=<scopes>: what to request tokens for, separated by spaces, such as https://outlook.office365.com/.default',
      ),
    }),
    async ({ tokenUrl = '', clientId = '', clientSecret, refreshToken, scope, ...options }) => {
      const oauth = { tokenUrl, clientId, clientSecret, refreshToken, scope };
      const usesOAuth = Object.values(oauth).some(Boolean);
      const { email } = await import('../../adapters/email/index.js');
      return email(usesOAuth ? { ...options, oauth } : options);
    },
    { webhooks: false },
  ),
  intercom: adapter(
    z.object({
      accessToken: word.describe('INTERCOM_ACCESS_TOKEN=<token>: the Access Token of the app'),
      clientSecret: secrets.describe(
        'INTERCOM_CLIENT_SECRET=<secret>: the Client Secret of the app, which signs its webhooks, or several separated by commas',
      ),
      apiUrl: url
        .exactOptional()
        .describe(
          'INTERCOM_API_URL=<url>: the URL of the REST API of the region; default https://api.intercom.io',
        ),
    }),
    async (options) => (await import('../../adapters/intercom/index.js')).intercom(options),
  ),
  zendesk: adapter(
    z.object({
      apiUrl: url.describe(
        'ZENDESK_API_URL=<url>: the URL of the Conversations API, such as https://example.zendesk.com/sc',
      ),
      appId: id.describe('ZENDESK_APP_ID=<id>: the App ID of the Conversations API key'),
      keyId: id.describe('ZENDESK_KEY_ID=<id>: the Key ID of the Conversations API key'),
      keySecret: word.describe('ZENDESK_KEY_SECRET=<secret>: the Secret key of the Conversations API key'),
      webhookSecret: secrets.describe(
        'ZENDESK_WEBHOOK_SECRET=<secret>: the shared secret of the webhook, or several separated by commas',
      ),
      ticketWebhookSecret: secrets
        .exactOptional()
        .describe(
          'ZENDESK_TICKET_WEBHOOK_SECRET=<secret>: the signing secret of the webhook that a trigger calls when a ticket is solved, or several separated by commas; without it, solving a ticket does not end the handoff',
        ),
      agentIntegration: id
        .exactOptional()
        .describe(
          'ZENDESK_AGENT_INTEGRATION=<name>: the switchboard integration where agents answer; default zd-agentWorkspace',
        ),
    }),
    async (options) => (await import('../../adapters/zendesk/index.js')).zendesk(options),
  ),
  livechat: adapter(
    z.object({
      clientId: word.describe('LIVECHAT_CLIENT_ID=<id>: the Client Id of the app'),
      clientSecret: word.describe('LIVECHAT_CLIENT_SECRET=<secret>: the Client Secret of the app'),
      refreshToken: word.describe(
        'LIVECHAT_REFRESH_TOKEN=<token>: a refresh token of an agent who authorized the app',
      ),
      webhookSecret: secrets.describe(
        'LIVECHAT_WEBHOOK_SECRET=<secret>: the secret key of the registered webhooks, or several separated by commas',
      ),
    }),
    async (options) => (await import('../../adapters/livechat/index.js')).livechat(options),
  ),
  'zoho-salesiq': adapter(
    z.object({
      screenName: id.describe('ZOHO_SALESIQ_SCREEN_NAME=<name>: the screen name of the portal'),
      appId: id.describe('ZOHO_SALESIQ_APP_ID=<id>: the id of the brand'),
      departmentId: id.describe(
        'ZOHO_SALESIQ_DEPARTMENT_ID=<id>: the id of the department whose agents answer',
      ),
      clientId: word.describe('ZOHO_CLIENT_ID=<id>: the Client ID of an org client'),
      clientSecret: word.describe('ZOHO_CLIENT_SECRET=<secret>: the Client Secret of that client'),
      refreshToken: word.describe('ZOHO_REFRESH_TOKEN=<token>: a refresh token of that client'),
      publicKey: list(
        matching(
          /^(-----BEGIN|[\w+/]{80,}=*$)/,
          'must be the public key of the webhook, in Base64 or as PEM.',
        ),
      ).describe(
        'ZOHO_SALESIQ_PUBLIC_KEY=<key>: the public key of the webhook in Base64, or several separated by commas',
      ),
      apiUrl: url
        .exactOptional()
        .describe(
          'ZOHO_SALESIQ_API_URL=<url>: the address of SalesIQ in your data center; default https://salesiq.zoho.com',
        ),
      accountsUrl: url
        .exactOptional()
        .describe(
          'ZOHO_ACCOUNTS_URL=<url>: the address of Zoho Accounts in your data center; default https://accounts.zoho.com',
        ),
    }),
    async (options) => (await import('../../adapters/zoho-salesiq/index.js')).zohoSalesIq(options),
  ),
} as const satisfies Record<string, AdapterEntry>;

function mailServer(protocol: string, pattern: RegExp) {
  const message = `must be ${protocol}s://user:password@host, or ${protocol}://user:password@host for STARTTLS. Special characters of the password are percent-encoded.`;
  return matching(pattern, message);
}

/** The name of an adapter in ADAPTER, without `desk` and `none`. */
export type AdapterName = keyof typeof ADAPTERS;

/** All adapter names. */
export const ADAPTER_NAMES = Object.keys(ADAPTERS) as readonly AdapterName[];

/** The path to which the helpdesk sends its webhooks. */
export const adapterPath = (name: string): string => `/adapters/${name}`;
