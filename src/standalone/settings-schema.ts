import { z } from 'zod';
import { createPlatformClient } from '../client/index.js';
import { HandoffKitError } from '../internal/index.js';
import { webhookUser } from '../receiver/index.js';
import { ADAPTER_NAMES, parseBotAdapters } from './adapter-catalog.js';
import { DEFAULT_DATABASE_URL, parseDatabaseUrl } from './database.js';
import { HANDOFF_AUTH_CHOICES, HANDOFF_AUTH_KINDS } from './handoff-auth.js';
import { HEALTH_PATHS } from './health.js';
import { parseBusinessHours, parsePublicUrl, parseRoles, parseTrustProxy } from './setting-parsers.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const UNITS = { b: 1, kb: 1_024, mb: 1_048_576, ms: 1, s: 1_000 };

/**
 * A setting whose parser throws a HandoffKitError when the text is wrong. The modules that use the value write the
 * message; none of them quotes the value.
 */
const parsedBy = <Value>(parse: (text: string) => Value, missing?: string) =>
  z.string(missing).transform((text, context): Value => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof HandoffKitError)) throw error;
      context.addIssue(withSettingNames(error.message));
      return z.NEVER;
    }
  });

/** A text that another module accepts. */
const acceptedBy = (use: (text: string) => unknown, missing?: string) =>
  parsedBy((text) => {
    use(text);
    return text;
  }, missing);

/** Replaces option names by setting names. The message follows the setting's name, so its own is dropped. */
const withSettingNames = (message: string): string =>
  message
    .replace(/^(baseUrl|apiKey|DATABASE_URL) /, '')
    .replace(/^hours\.open\./, '')
    .replace(/^hours\.timeZone/, 'the time zone')
    .replaceAll('baseUrl', 'PLATFORM_BASE_URL')
    .replaceAll('apiKey', 'PLATFORM_API_KEY');

/** A size or a duration with its unit. */
const quantity = (pattern: RegExp, max: number, message: string, min = 1) =>
  z
    .string()
    .regex(pattern, message)
    .transform((text) => Number.parseInt(text, 10) * unitOf(text))
    .pipe(z.number().min(min, message).max(max, message));

function unitOf(text: string): number {
  const unit = text.replace(/^\d+/, '').toLowerCase() || 'b';
  return Object.entries(UNITS).find(([name]) => name === unit)?.[1] ?? 1;
}

const duration = (message: string, min = 1) => quantity(/^\d{1,7}(ms|s)$/i, 3_600 * UNITS.s, message, min);

const wholeNumber = (max: number) => {
  const message = `must be a whole number from 1 to ${max}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(1, message).max(max, message));
};

const PORT_RULE = 'must be a whole number from 0 to 65535; 0 takes any free port.';
const PATH_RULE =
  'must be a path that begins with "/", made of letters, digits and "-._~/", such as /webhook.';

const mountPath = z
  .string()
  .regex(/^\/[\w\-.~/]*$/, PATH_RULE)
  .refine((path) => !path.includes('//'), PATH_RULE)
  .transform((path) => path.replace(/(?<=.)\/$/, ''))
  .refine(
    (path) => !HEALTH_PATHS.includes(path.toLowerCase()),
    'is taken by the health checks: choose another path.',
  )
  .refine(
    (path) => !/^\/(desk|adapters)(\/|$)/i.test(path),
    'is taken by the desk and adapters: choose another path.',
  );

/** Optional: the default depends on other settings, so `chooseAdapter` decides it. */
const adapter = z
  .enum(['none', 'desk', ...ADAPTER_NAMES], `must be one of desk, ${ADAPTER_NAMES.join(', ')} or none.`)
  .optional();

const autoReply = z
  .string()
  .refine(
    (text) => !/\{(?!text\})\w+\}/.test(text),
    "has a placeholder that does not exist: {text}, the user's message, is the only one.",
  );

/** Every setting, parsed from text. The messages follow the setting's name: "PORT must be …". */
export const settingsSchema = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}$/, PORT_RULE)
    .transform(Number)
    .pipe(z.number().max(65_535, PORT_RULE))
    .default(3_000),
  host: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an address or a name of this machine, such as 127.0.0.1, :: or localhost.')
    .optional(),
  mountPath: mountPath.default('/webhook'),
  publicUrl: parsedBy(parsePublicUrl).optional(),
  trustProxy: parsedBy(parseTrustProxy).default(false),
  webhookUsername: acceptedBy(
    (username) => webhookUser({ username }),
    "is missing. Set it to the webhook username of the bot's integration settings.",
  ),
  webhookSecret: acceptedBy((secret) => webhookUser({ username: 'any', secret })).optional(),
  handoffAuth: z.enum(HANDOFF_AUTH_KINDS, {
    error: ({ input }) =>
      input === undefined
        ? `is missing. Say how handoff requests authenticate: ${HANDOFF_AUTH_CHOICES}.`
        : `must be one of: ${HANDOFF_AUTH_CHOICES}.`,
  }),
  handoffToken: z.string().optional(),
  platformBaseUrl: acceptedBy((baseUrl) => createPlatformClient({ baseUrl, apiKey: 'any' })).optional(),
  platformApiKey: acceptedBy((apiKey) =>
    createPlatformClient({ baseUrl: 'https://any.example', apiKey }),
  ).optional(),
  databaseUrl: parsedBy(parseDatabaseUrl).prefault(DEFAULT_DATABASE_URL),
  concurrency: wholeNumber(1_000).optional(),
  maxAttempts: wholeNumber(1_000).optional(),
  rememberDays: wholeNumber(3_650).optional(),
  whenUnknown: z.enum(['resend', 'dead-letter'], 'must be resend or dead-letter.').optional(),
  greeting: z.string().optional(),
  autoReply: autoReply.optional(),
  waitTimeout: duration('must be a time of at most 3600s with its unit, such as 60s.').default(60_000),
  adapter,
  botAdapters: parsedBy(parseBotAdapters).optional(),
  rtUrl: z.string().optional(),
  rtToken: z.string().optional(),
  rtQueue: z.string().optional(),
  rtWebhookSecret: z.string().optional(),
  chatwootUrl: z.string().optional(),
  chatwootInbox: z.string().optional(),
  chatwootWebhookSecret: z.string().optional(),
  chatwootHmacToken: z.string().optional(),
  slackBotToken: z.string().optional(),
  slackSigningSecret: z.string().optional(),
  slackChannel: z.string().optional(),
  slackNames: z.string().optional(),
  slackCloseWords: z.string().optional(),
  slackInsidePrefix: z.string().optional(),
  slackTeamUrl: z.string().optional(),
  slackApiUrl: z.string().optional(),
  mailSmtpUrl: z.string().optional(),
  mailImapUrl: z.string().optional(),
  mailAddress: z.string().optional(),
  mailTeam: z.string().optional(),
  mailAgents: z.string().optional(),
  mailTrustedServer: z.string().optional(),
  mailReplyAddress: z.string().optional(),
  mailFolder: z.string().optional(),
  intercomAccessToken: z.string().optional(),
  intercomClientSecret: z.string().optional(),
  intercomApiUrl: z.string().optional(),
  zendeskApiUrl: z.string().optional(),
  zendeskAppId: z.string().optional(),
  zendeskKeyId: z.string().optional(),
  zendeskKeySecret: z.string().optional(),
  zendeskWebhookSecret: z.string().optional(),
  zendeskAgentIntegration: z.string().optional(),
  livechatClientId: z.string().optional(),
  livechatClientSecret: z.string().optional(),
  livechatRefreshToken: z.string().optional(),
  livechatWebhookSecret: z.string().optional(),
  livechatApiUrl: z.string().optional(),
  livechatAccountsUrl: z.string().optional(),
  zohoSalesiqScreenName: z.string().optional(),
  zohoSalesiqAppId: z.string().optional(),
  zohoSalesiqDepartmentId: z.string().optional(),
  zohoClientId: z.string().optional(),
  zohoClientSecret: z.string().optional(),
  zohoRefreshToken: z.string().optional(),
  zohoSalesiqPublicKey: z.string().optional(),
  zohoSalesiqApiUrl: z.string().optional(),
  zohoAccountsUrl: z.string().optional(),
  agentNames: z.stringbool({ error: 'must be true or false.' }).default(false),
  businessHours: parsedBy(parseBusinessHours).optional(),
  outsideHours: z.string().optional(),
  unavailable: z.string().optional(),
  delayed: z.string().optional(),
  deskIdleMinutes: wholeNumber(1_440).optional(),
  deskOpenidIssuer: z.string().optional(),
  deskOpenidClientId: z.string().optional(),
  deskOpenidClientSecret: z.string().optional(),
  deskOpenidRoleClaim: z.string().optional(),
  deskOpenidRoles: parsedBy(parseRoles).optional(),
  probeAuth: z.enum(['required', 'none'], 'must be required or none.').default('required'),
  bodyLimit: quantity(
    /^\d{1,9}(b|kb|mb)?$/i,
    100 * UNITS.mb,
    'must be a size of at most 100mb, such as 262144, 256kb or 1mb.',
  ).default(262_144),
  shutdownDelay: duration(
    'must be a time of at most 3600s with its unit, such as 10s; 0s closes the port at once.',
    0,
  ).default(0),
  shutdownTimeout: duration('must be a time of at most 3600s with its unit, such as 10s or 500ms.').default(
    10_000,
  ),
  showText: z.stringbool({ error: 'must be true or false.' }).default(false),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`).default('info'),
});

/** All settings after validation. Durations are in milliseconds, sizes in bytes. */
export type Settings = z.output<typeof settingsSchema>;
/** The name of a setting in a config file and in code. */
export type SettingKey = keyof Settings;
