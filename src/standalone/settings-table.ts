import type { SettingKey } from './settings-schema.js';

/** How a setting is named and what it is for. */
export interface SettingInfo {
  /** Its name in the environment; also allowed in a config file. */
  readonly env: string;
  /** Its flag, as commander takes it. */
  readonly flag: string;
  /** What it is for, in half a sentence. */
  readonly help: string;
}

/** How every setting is named. */
export const SETTINGS: Readonly<Record<SettingKey, SettingInfo>> = {
  port: { env: 'PORT', flag: '--port <number>', help: 'where to listen, 0 for any free port; default 3000' },
  host: {
    env: 'HOST',
    flag: '--host <address>',
    help: 'the address to listen on; default all, with --dev 127.0.0.1',
  },
  mountPath: {
    env: 'MOUNT_PATH',
    flag: '--mount-path <path>',
    help: 'the path of the message webhook, with the handoff endpoints below it; default /webhook',
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    flag: '--trust-proxy <whom>',
    help: 'whose X-Forwarded-* headers count: false (default), how many proxies, their addresses, or true for anybody',
  },
  webhookUsername: {
    env: 'WEBHOOK_USERNAME',
    flag: '--webhook-username <name>',
    help: "the webhook username of the agent's integration settings; required",
  },
  webhookSecret: {
    env: 'WEBHOOK_SECRET',
    flag: '--webhook-secret <secret>',
    help: 'the webhook secret, if one is set there',
  },
  handoffAuth: {
    env: 'HANDOFF_AUTH',
    flag: '--handoff-auth <choice>',
    help: 'who may send handoff requests: webhook, path:<token>, bearer:<token> or none; required',
  },
  serviceBaseUrl: {
    env: 'SERVICE_BASE_URL',
    flag: '--service-base-url <url>',
    help: 'where the service is, for replies; there is no default',
  },
  serviceApiKey: {
    env: 'SERVICE_API_KEY',
    flag: '--service-api-key <key>',
    help: "the agent's API key, for replies",
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: '--database-url <url>',
    help: 'where events and replies are kept: sqlite:<file>, postgres://… or none; default sqlite:./handoff.db',
  },
  concurrency: {
    env: 'CONCURRENCY',
    flag: '--concurrency <number>',
    help: 'how many stored conversations are handled side by side; default 16, with PostgreSQL 32',
  },
  maxAttempts: {
    env: 'MAX_ATTEMPTS',
    flag: '--max-attempts <number>',
    help: 'how often a stored event is tried before it is parked; default 8',
  },
  rememberDays: {
    env: 'REMEMBER_DAYS',
    flag: '--remember-days <number>',
    help: 'how long handled events are remembered, to tell repeats; default 7',
  },
  whenUnknown: {
    env: 'WHEN_UNKNOWN',
    flag: '--when-unknown <choice>',
    help: 'a reply of which nobody knows whether it arrived: resend (default, may come twice) or park (may not come)',
  },
  greeting: {
    env: 'GREETING',
    flag: '--greeting <text>',
    help: 'sent at once as the first reply of every handoff',
  },
  autoReply: {
    env: 'AUTO_REPLY',
    flag: '--auto-reply <text>',
    help: 'sent as the answer to every message of a handoff; {text} is what the user wrote',
  },
  waitTimeout: {
    env: 'WAIT_TIMEOUT',
    flag: '--wait-timeout <time>',
    help: 'how long the service waits for a first reply, as it is set there; default 60s',
  },
  adapter: {
    env: 'ADAPTER',
    flag: '--adapter <name>',
    help: 'where humans answer: desk (in the browser), request-tracker, chatwoot, slack or none; default desk where replies and storage are on and AUTO_REPLY is off',
  },
  rtUrl: { env: 'RT_URL', flag: '--rt-url <url>', help: 'where Request Tracker is' },
  rtToken: { env: 'RT_TOKEN', flag: '--rt-token <token>', help: "an auth token of Request Tracker's user" },
  rtQueue: { env: 'RT_QUEUE', flag: '--rt-queue <name>', help: 'the queue for tickets' },
  rtWebhookSecret: {
    env: 'RT_WEBHOOK_SECRET',
    flag: '--rt-webhook-secret <secret>',
    help: 'what the Scrip signs with, or several with commas between; without it replies are polled for',
  },
  chatwootUrl: { env: 'CHATWOOT_URL', flag: '--chatwoot-url <url>', help: 'where Chatwoot is' },
  chatwootInbox: {
    env: 'CHATWOOT_INBOX',
    flag: '--chatwoot-inbox <identifier>',
    help: 'the Inbox Identifier of the API inbox',
  },
  chatwootWebhookSecret: {
    env: 'CHATWOOT_WEBHOOK_SECRET',
    flag: '--chatwoot-webhook-secret <secret>',
    help: 'what Chatwoot signs with, or several with commas between',
  },
  chatwootHmacToken: {
    env: 'CHATWOOT_HMAC_TOKEN',
    flag: '--chatwoot-hmac-token <token>',
    help: 'the key of User Identity Validation, where that is enforced',
  },
  slackBotToken: {
    env: 'SLACK_BOT_TOKEN',
    flag: '--slack-bot-token <token>',
    help: 'the Bot User OAuth Token of the app',
  },
  slackSigningSecret: {
    env: 'SLACK_SIGNING_SECRET',
    flag: '--slack-signing-secret <secret>',
    help: 'the Signing Secret of the app, or several with commas between',
  },
  slackChannel: { env: 'SLACK_CHANNEL', flag: '--slack-channel <id>', help: 'the id of the channel' },
  slackNames: {
    env: 'SLACK_NAMES',
    flag: '--slack-names <names>',
    help: 'what users are told of who answers, with AGENT_NAMES: U0123456789=Ann,U0987654321=Ben',
  },
  slackCloseWords: {
    env: 'SLACK_CLOSE_WORDS',
    flag: '--slack-close-words <words>',
    help: 'a reply that ends with one of these closes the conversation; default !close',
  },
  slackInsidePrefix: {
    env: 'SLACK_INSIDE_PREFIX',
    flag: '--slack-inside-prefix <text>',
    help: 'what begins with this stays among agents; default //',
  },
  slackTeamUrl: {
    env: 'SLACK_TEAM_URL',
    flag: '--slack-team-url <url>',
    help: 'the address of the workspace, for links',
  },
  slackApiUrl: {
    env: 'SLACK_API_URL',
    flag: '--slack-api-url <url>',
    help: 'where the Web API is; default https://slack.com/api',
  },
  agentNames: {
    env: 'AGENT_NAMES',
    flag: '--agent-names',
    help: "put the agent's name before each reply",
  },
  businessHours: {
    env: 'BUSINESS_HOURS',
    flag: '--business-hours <hours>',
    help: "when humans are there, such as 'Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00'; default always",
  },
  outsideHours: {
    env: 'OUTSIDE_HOURS',
    flag: '--outside-hours <text>',
    help: 'said to users outside these hours; without it the service is told no',
  },
  unavailable: {
    env: 'UNAVAILABLE',
    flag: '--unavailable <text>',
    help: 'said to users whose handoff cannot be opened after all; without it the service is told no',
  },
  probeAuth: {
    env: 'PROBE_AUTH',
    flag: '--probe-auth <choice>',
    help: 'whether availability tests need credentials: required (default) or none',
  },
  bodyLimit: { env: 'BODY_LIMIT', flag: '--body-limit <size>', help: 'the largest body; default 256kb' },
  shutdownTimeout: {
    env: 'SHUTDOWN_TIMEOUT',
    flag: '--shutdown-timeout <time>',
    help: 'how long handlers may take to finish at the end; default 10s',
  },
  showText: {
    env: 'SHOW_TEXT',
    flag: '--show-text',
    help: 'also print what people write, which is hidden otherwise',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: 'fatal, error, warn, info, debug, trace or silent; default info, with --dev warn',
  },
};

/** The names of all settings, in order. */
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];
