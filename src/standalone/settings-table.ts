import { type SettingKey, settingsSchema } from './settings-schema.js';

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
export const SETTING_KEYS: readonly SettingKey[] = settingsSchema.keyof().options;

/** Settings of the design that this version cannot honour: to ignore them would be a promise broken. */
export const NOT_YET: readonly { readonly key: string; readonly env: string; readonly why: string }[] = [
  {
    key: 'adapter',
    env: 'ADAPTER',
    why: 'is not supported yet: this version brings no adapters. Remove it.',
  },
];
