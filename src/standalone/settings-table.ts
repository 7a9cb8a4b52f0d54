import { ADAPTER_NAMES, adapterSettings } from './adapter-catalog.js';
import type { SettingKey } from './settings-schema.js';

/** The names and the description of a setting. */
export interface SettingInfo {
  /** Its name in the environment; also allowed in a config file. */
  readonly env: string;
  /** Its flag, in commander's notation. */
  readonly flag: string;
  /** One line for the help and for `docs/settings.md`. */
  readonly help: string;
}

/** Every setting with its names and description. */
export const SETTINGS: Readonly<Record<SettingKey, SettingInfo>> = {
  port: {
    env: 'PORT',
    flag: '--port <number>',
    help: 'the port to listen on; 0 takes any free port; default 3000',
  },
  host: {
    env: 'HOST',
    flag: '--host <address>',
    help: 'the address to listen on; default all addresses, with --dev 127.0.0.1',
  },
  mountPath: {
    env: 'MOUNT_PATH',
    flag: '--mount-path <path>',
    help: 'the path of the message webhook; the handoff endpoints are below it; default /webhook',
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    flag: '--trust-proxy <proxies>',
    help: 'the proxies whose X-Forwarded-* headers are trusted: false (default), the number of proxies, their addresses, or true for any',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    flag: '--public-url <url>',
    help: 'the public URL of this program, such as https://help.example.com; the desk is below it, at /desk, and answers requests for this host only. On HTTPS, its cookies are bound to the host and browsers are told to use HTTPS only',
  },
  webhookUsername: {
    env: 'WEBHOOK_USERNAME',
    flag: '--webhook-username <name>',
    help: "the webhook username from the bot's integration settings; required",
  },
  webhookSecret: {
    env: 'WEBHOOK_SECRET',
    flag: '--webhook-secret <secret>',
    help: 'the webhook secret from the same settings, if one is set',
  },
  handoffAuth: {
    env: 'HANDOFF_AUTH',
    flag: '--handoff-auth <choice>',
    help: 'how handoff requests authenticate: path (default with HANDOFF_TOKEN), bearer, webhook or none; required',
  },
  handoffToken: {
    env: 'HANDOFF_TOKEN',
    flag: '--handoff-token <token>',
    help: 'the token of handoff requests, at least 16 characters: openssl rand -hex 24',
  },
  platformBaseUrl: {
    env: 'PLATFORM_BASE_URL',
    flag: '--platform-base-url <url>',
    help: 'the base URL of the platform, for replies; no default',
  },
  platformApiKey: {
    env: 'PLATFORM_API_KEY',
    flag: '--platform-api-key <key>',
    help: "the bot's API key, for replies",
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: '--database-url <url>',
    help: 'the database for events and replies: sqlite:<file>, postgres://… or none; default sqlite:./handoff.db',
  },
  concurrency: {
    env: 'CONCURRENCY',
    flag: '--concurrency <number>',
    help: 'the number of stored conversations handled at the same time; default 16, with PostgreSQL 32',
  },
  maxAttempts: {
    env: 'MAX_ATTEMPTS',
    flag: '--max-attempts <number>',
    help: 'failed attempts to handle a stored event before it becomes a dead letter; default 8',
  },
  rememberDays: {
    env: 'REMEMBER_DAYS',
    flag: '--remember-days <number>',
    help: 'days for which handled events are remembered, so that repeats are recognised; default 7',
  },
  whenUnknown: {
    env: 'WHEN_UNKNOWN',
    flag: '--when-unknown <choice>',
    help: 'what to do with a reply when it is unknown whether it arrived: resend (default; the user may see it twice) or dead-letter (the user may not see it)',
  },
  greeting: {
    env: 'GREETING',
    flag: '--greeting <text>',
    help: 'the first reply of every handoff, sent at once',
  },
  autoReply: {
    env: 'AUTO_REPLY',
    flag: '--auto-reply <text>',
    help: "the answer to every message of a handoff; {text} stands for the user's message",
  },
  waitTimeout: {
    env: 'WAIT_TIMEOUT',
    flag: '--wait-timeout <time>',
    help: 'how long the platform waits for the first reply, from its settings; default 60s',
  },
  adapter: {
    env: 'ADAPTER',
    flag: '--adapter <name>',
    help: `where agents answer: desk (in the browser), ${ADAPTER_NAMES.join(', ')}, or none, which refuses handoff requests unless AUTO_REPLY answers; default desk when replies and storage are on and AUTO_REPLY is off`,
  },
  botAdapters: {
    env: 'BOT_ADAPTERS',
    flag: '--bot-adapters <list>',
    help: 'other helpdesks for the handoffs of some bots, by the bot_id of the request: 65d4a1=slack, 65d4a2=desk; ADAPTER takes all others',
  },
  rtUrl: { env: 'RT_URL', flag: '--rt-url <url>', help: 'the URL of Request Tracker' },
  rtToken: { env: 'RT_TOKEN', flag: '--rt-token <token>', help: "an auth token of Request Tracker's user" },
  rtQueue: { env: 'RT_QUEUE', flag: '--rt-queue <name>', help: 'the queue for tickets' },
  rtWebhookSecret: {
    env: 'RT_WEBHOOK_SECRET',
    flag: '--rt-webhook-secret <secret>',
    help: 'the secret that the Scrip signs with, or several separated by commas; without it Request Tracker is polled for replies',
  },
  chatwootUrl: { env: 'CHATWOOT_URL', flag: '--chatwoot-url <url>', help: 'the URL of Chatwoot' },
  chatwootInbox: {
    env: 'CHATWOOT_INBOX',
    flag: '--chatwoot-inbox <identifier>',
    help: 'the Inbox Identifier of the API inbox',
  },
  chatwootWebhookSecret: {
    env: 'CHATWOOT_WEBHOOK_SECRET',
    flag: '--chatwoot-webhook-secret <secret>',
    help: 'the secret that Chatwoot signs with, or several separated by commas',
  },
  chatwootHmacToken: {
    env: 'CHATWOOT_HMAC_TOKEN',
    flag: '--chatwoot-hmac-token <token>',
    help: 'the key of User Identity Validation, if the inbox enforces it',
  },
  slackBotToken: {
    env: 'SLACK_BOT_TOKEN',
    flag: '--slack-bot-token <token>',
    help: 'the Bot User OAuth Token of the app',
  },
  slackSigningSecret: {
    env: 'SLACK_SIGNING_SECRET',
    flag: '--slack-signing-secret <secret>',
    help: 'the Signing Secret of the app, or several separated by commas',
  },
  slackChannel: { env: 'SLACK_CHANNEL', flag: '--slack-channel <id>', help: 'the id of the channel' },
  slackNames: {
    env: 'SLACK_NAMES',
    flag: '--slack-names <names>',
    help: 'the names that users see with AGENT_NAMES, by Slack user id: U0123456789=Ann,U0987654321=Ben',
  },
  slackCloseWords: {
    env: 'SLACK_CLOSE_WORDS',
    flag: '--slack-close-words <words>',
    help: 'a reply that ends with one of these words closes the conversation; default !close',
  },
  slackInsidePrefix: {
    env: 'SLACK_INSIDE_PREFIX',
    flag: '--slack-inside-prefix <text>',
    help: 'messages that begin with this prefix are not sent to the user; default //',
  },
  slackTeamUrl: {
    env: 'SLACK_TEAM_URL',
    flag: '--slack-team-url <url>',
    help: 'the address of the workspace, for links',
  },
  slackApiUrl: {
    env: 'SLACK_API_URL',
    flag: '--slack-api-url <url>',
    help: 'the URL of the Web API; default https://slack.com/api',
  },
  mailSmtpUrl: {
    env: 'MAIL_SMTP_URL',
    flag: '--mail-smtp-url <url>',
    help: 'the server that takes mails: smtps://user:password@host, or smtp://user:password@host for STARTTLS',
  },
  mailImapUrl: {
    env: 'MAIL_IMAP_URL',
    flag: '--mail-imap-url <url>',
    help: 'the server with the mailbox for replies: imaps://user:password@host, or imap://user:password@host for STARTTLS',
  },
  mailAddress: {
    env: 'MAIL_ADDRESS',
    flag: '--mail-address <address>',
    help: 'the address that mails come from and replies go to',
  },
  mailTeam: {
    env: 'MAIL_TEAM',
    flag: '--mail-team <addresses>',
    help: "the address of the team's inbox, or several separated by commas",
  },
  mailAgents: {
    env: 'MAIL_AGENTS',
    flag: '--mail-agents <addresses>',
    help: 'who may answer users: addresses or domains, such as ann@example.com,@example.org',
  },
  mailTrustedServer: {
    env: 'MAIL_TRUSTED_SERVER',
    flag: '--mail-trusted-server <name>',
    help: 'the mail server whose Authentication-Results headers verify senders; none believes the From line, for a mailbox that takes no mail from outside',
  },
  mailReplyAddress: {
    env: 'MAIL_REPLY_ADDRESS',
    flag: '--mail-reply-address <address>',
    help: 'an address for replies that tells the conversation, such as handoff+{token}@example.com, if the server delivers it to the same mailbox',
  },
  mailFolder: {
    env: 'MAIL_FOLDER',
    flag: '--mail-folder <name>',
    help: 'the folder in which replies arrive; default INBOX',
  },
  intercomAccessToken: {
    env: 'INTERCOM_ACCESS_TOKEN',
    flag: '--intercom-access-token <token>',
    help: 'the Access Token of the app',
  },
  intercomClientSecret: {
    env: 'INTERCOM_CLIENT_SECRET',
    flag: '--intercom-client-secret <secret>',
    help: 'the Client Secret of the app, which signs its webhooks, or several separated by commas',
  },
  intercomApiUrl: {
    env: 'INTERCOM_API_URL',
    flag: '--intercom-api-url <url>',
    help: 'the URL of the REST API of the region; default https://api.intercom.io',
  },
  zendeskApiUrl: {
    env: 'ZENDESK_API_URL',
    flag: '--zendesk-api-url <url>',
    help: 'the URL of the Conversations API, such as https://example.zendesk.com/sc',
  },
  zendeskAppId: {
    env: 'ZENDESK_APP_ID',
    flag: '--zendesk-app-id <id>',
    help: 'the App ID of the Conversations API key',
  },
  zendeskKeyId: {
    env: 'ZENDESK_KEY_ID',
    flag: '--zendesk-key-id <id>',
    help: 'the Key ID of the Conversations API key',
  },
  zendeskKeySecret: {
    env: 'ZENDESK_KEY_SECRET',
    flag: '--zendesk-key-secret <secret>',
    help: 'the Secret key of the Conversations API key',
  },
  zendeskWebhookSecret: {
    env: 'ZENDESK_WEBHOOK_SECRET',
    flag: '--zendesk-webhook-secret <secret>',
    help: 'the shared secret of the webhook, or several separated by commas',
  },
  zendeskAgentIntegration: {
    env: 'ZENDESK_AGENT_INTEGRATION',
    flag: '--zendesk-agent-integration <name>',
    help: 'the switchboard integration where agents answer; default zd-agentWorkspace',
  },
  livechatClientId: {
    env: 'LIVECHAT_CLIENT_ID',
    flag: '--livechat-client-id <id>',
    help: 'the Client Id of the app',
  },
  livechatClientSecret: {
    env: 'LIVECHAT_CLIENT_SECRET',
    flag: '--livechat-client-secret <secret>',
    help: 'the Client Secret of the app',
  },
  livechatRefreshToken: {
    env: 'LIVECHAT_REFRESH_TOKEN',
    flag: '--livechat-refresh-token <token>',
    help: 'a refresh token of an agent who authorized the app',
  },
  livechatWebhookSecret: {
    env: 'LIVECHAT_WEBHOOK_SECRET',
    flag: '--livechat-webhook-secret <secret>',
    help: 'the secret key of the registered webhooks, or several separated by commas',
  },
  livechatApiUrl: {
    env: 'LIVECHAT_API_URL',
    flag: '--livechat-api-url <url>',
    help: 'the URL of the chat APIs; default https://api.livechatinc.com',
  },
  livechatAccountsUrl: {
    env: 'LIVECHAT_ACCOUNTS_URL',
    flag: '--livechat-accounts-url <url>',
    help: 'the URL of the authorization server; default https://accounts.livechat.com',
  },
  zohoSalesiqScreenName: {
    env: 'ZOHO_SALESIQ_SCREEN_NAME',
    flag: '--zoho-salesiq-screen-name <name>',
    help: 'the screen name of the portal',
  },
  zohoSalesiqAppId: {
    env: 'ZOHO_SALESIQ_APP_ID',
    flag: '--zoho-salesiq-app-id <id>',
    help: 'the id of the brand',
  },
  zohoSalesiqDepartmentId: {
    env: 'ZOHO_SALESIQ_DEPARTMENT_ID',
    flag: '--zoho-salesiq-department-id <id>',
    help: 'the id of the department whose agents answer',
  },
  zohoClientId: {
    env: 'ZOHO_CLIENT_ID',
    flag: '--zoho-client-id <id>',
    help: 'the Client ID of an org client',
  },
  zohoClientSecret: {
    env: 'ZOHO_CLIENT_SECRET',
    flag: '--zoho-client-secret <secret>',
    help: 'the Client Secret of that client',
  },
  zohoRefreshToken: {
    env: 'ZOHO_REFRESH_TOKEN',
    flag: '--zoho-refresh-token <token>',
    help: 'a refresh token of that client',
  },
  zohoSalesiqPublicKey: {
    env: 'ZOHO_SALESIQ_PUBLIC_KEY',
    flag: '--zoho-salesiq-public-key <key>',
    help: 'the public key of the webhook in Base64, or several separated by commas',
  },
  zohoSalesiqApiUrl: {
    env: 'ZOHO_SALESIQ_API_URL',
    flag: '--zoho-salesiq-api-url <url>',
    help: 'the address of SalesIQ in your data center; default https://salesiq.zoho.com',
  },
  zohoAccountsUrl: {
    env: 'ZOHO_ACCOUNTS_URL',
    flag: '--zoho-accounts-url <url>',
    help: 'the address of Zoho Accounts in your data center; default https://accounts.zoho.com',
  },
  agentNames: {
    env: 'AGENT_NAMES',
    flag: '--agent-names',
    help: "put the agent's name before each reply",
  },
  businessHours: {
    env: 'BUSINESS_HOURS',
    flag: '--business-hours <hours>',
    help: "the hours in which agents answer, such as 'Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00'; default always",
  },
  outsideHours: {
    env: 'OUTSIDE_HOURS',
    flag: '--outside-hours <text>',
    help: 'the reply to users outside these hours; without it the handoff request is refused',
  },
  unavailable: {
    env: 'UNAVAILABLE',
    flag: '--unavailable <text>',
    help: 'the reply to users whose conversation cannot be opened; without it the handoff request is refused',
  },
  delayed: {
    env: 'DELAYED',
    flag: '--delayed <text>',
    help: 'the reply to users whose messages wait because the helpdesk does not answer, at most every ten minutes; default none',
  },
  deskIdleMinutes: {
    env: 'DESK_IDLE_MINUTES',
    flag: '--desk-idle-minutes <number>',
    help: 'the minutes without activity after which an agent is logged out of the desk; default 30',
  },
  deskOpenidIssuer: {
    env: 'DESK_OPENID_ISSUER',
    flag: '--desk-openid-issuer <url>',
    help: 'the issuer of an OpenID Connect provider where agents can log in, beside passwords; needs PUBLIC_URL and the package openid-client',
  },
  deskOpenidClientId: {
    env: 'DESK_OPENID_CLIENT_ID',
    flag: '--desk-openid-client-id <id>',
    help: "the desk's client id at the provider; its redirect URI is <PUBLIC_URL>/desk/login/openid/callback",
  },
  deskOpenidClientSecret: {
    env: 'DESK_OPENID_CLIENT_SECRET',
    flag: '--desk-openid-client-secret <secret>',
    help: "the desk's client secret at the provider",
  },
  deskOpenidRoleClaim: {
    env: 'DESK_OPENID_ROLE_CLAIM',
    flag: '--desk-openid-role-claim <name>',
    help: 'the claim that decides the role of an agent; default groups',
  },
  deskOpenidRoles: {
    env: 'DESK_OPENID_ROLES',
    flag: '--desk-openid-roles <roles>',
    help: 'the role for each value of the claim: support=agent,leads=supervisor,it=administrator; others may not log in',
  },
  probeAuth: {
    env: 'PROBE_AUTH',
    flag: '--probe-auth <choice>',
    help: 'whether availability tests need credentials: required (default) or none',
  },
  bodyLimit: {
    env: 'BODY_LIMIT',
    flag: '--body-limit <size>',
    help: 'the largest request body; default 256kb',
  },
  shutdownDelay: {
    env: 'SHUTDOWN_DELAY',
    flag: '--shutdown-delay <time>',
    help: 'the time after SIGTERM in which /readyz answers 503 and requests are still accepted, so that a load balancer goes elsewhere; default 0s, behind a load balancer 10s or more',
  },
  shutdownTimeout: {
    env: 'SHUTDOWN_TIMEOUT',
    flag: '--shutdown-timeout <time>',
    help: 'the time that running handlers get to finish at shutdown; default 10s',
  },
  showText: {
    env: 'SHOW_TEXT',
    flag: '--show-text',
    help: 'also print what users and agents write, which is hidden by default',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: 'fatal, error, warn, info, debug, trace or silent; default info, with --dev warn',
  },
};

/** The keys of all settings, in the order of {@link SETTINGS}. */
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** The settings that each bot has for itself, where a config file names several bots. */
export const BOT_KEYS = [
  'webhookUsername',
  'webhookSecret',
  'handoffAuth',
  'handoffToken',
  'platformBaseUrl',
  'platformApiKey',
] as const satisfies readonly SettingKey[];

/** A setting of {@link BOT_KEYS}. */
export type BotKey = (typeof BOT_KEYS)[number];

/** Settings that are explained together. */
export interface SettingGroup {
  readonly title: string;
  readonly keys: readonly SettingKey[];
}

/** Every setting in exactly one group, in the order of the help and of `docs/settings.md`. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Server', keys: ['port', 'host', 'mountPath', 'publicUrl', 'trustProxy', 'bodyLimit'] },
  {
    title: 'Authentication',
    keys: ['webhookUsername', 'webhookSecret', 'handoffAuth', 'handoffToken', 'probeAuth'],
  },
  {
    title: 'Replies to users',
    keys: ['platformBaseUrl', 'platformApiKey', 'greeting', 'autoReply', 'waitTimeout'],
  },
  {
    title: 'Storage',
    keys: ['databaseUrl', 'concurrency', 'maxAttempts', 'rememberDays', 'whenUnknown'],
  },
  {
    title: 'Agents',
    keys: ['adapter', 'botAdapters', 'agentNames', 'businessHours', 'outsideHours', 'unavailable', 'delayed'],
  },
  {
    title: 'With ADAPTER=desk',
    keys: [
      'deskIdleMinutes',
      'deskOpenidIssuer',
      'deskOpenidClientId',
      'deskOpenidClientSecret',
      'deskOpenidRoleClaim',
      'deskOpenidRoles',
    ],
  },
  ...ADAPTER_NAMES.map((name) => ({ title: `With ADAPTER=${name}`, keys: adapterSettings(name) })),
  { title: 'Output and shutdown', keys: ['showText', 'logLevel', 'shutdownDelay', 'shutdownTimeout'] },
];
