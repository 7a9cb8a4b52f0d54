import { z } from 'zod';
import { readHours } from '../bridge/index.js';
import { createServiceClient } from '../client/index.js';
import { HandoffKitError } from '../internal/index.js';
import { bearer, pathToken, webhookUser } from '../receiver/index.js';
import { parseBusinessHours } from './adapters/business-hours.js';
import { ADAPTER_NAMES } from './adapters/catalog.js';
import { type DatabaseChoice, DEFAULT_DATABASE_URL, readDatabaseUrl } from './database-url.js';
import { HEALTH_PATHS } from './health.js';
import { readTrustProxy, type TrustProxy } from './trust-proxy.js';

/** Who may send handoff requests. */
type HandoffAuth =
  | { readonly kind: 'webhook' | 'none' }
  | { readonly kind: 'path' | 'bearer'; readonly token: string };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const HANDOFF_CHOICES = 'webhook (the same credentials as messages), path:<token>, bearer:<token> or none';
const UNITS = { b: 1, kb: 1_024, mb: 1_048_576, ms: 1, s: 1_000 };

/** What is wrong, in the words of the rooms that will use the value; `null` when they take it. */
function complaintOf(use: () => unknown): string | null {
  try {
    use();
    return null;
  } catch (error) {
    if (error instanceof HandoffKitError) return error.message;
    throw error;
  }
}

/** Text that the room that will use it accepts. Those rooms never put a value into what they say of it. */
const acceptedBy = (use: (text: string) => unknown, missing?: string) =>
  z.string(missing).superRefine((text, context) => {
    const complaint = complaintOf(() => use(text));
    if (complaint) context.addIssue(inSettingsWords(complaint));
  });

const inSettingsWords = (complaint: string): string =>
  complaint
    .replace(/^(baseUrl|apiKey|DATABASE_URL) /, '')
    .replaceAll('baseUrl', 'SERVICE_BASE_URL')
    .replaceAll('apiKey', 'SERVICE_API_KEY');

const measure = (pattern: RegExp, most: number, complaint: string) =>
  z
    .string()
    .regex(pattern, complaint)
    .transform((text) => Number.parseInt(text, 10) * unitOf(text))
    .pipe(z.number().min(1, complaint).max(most, complaint));

function unitOf(text: string): number {
  const unit = text.replace(/^\d+/, '').toLowerCase() || 'b';
  return Object.entries(UNITS).find(([name]) => name === unit)?.[1] ?? 1;
}

const wholeNumber = (most: number) => {
  const complaint = `must be a whole number from 1 to ${most}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, complaint)
    .transform(Number)
    .pipe(z.number().min(1, complaint).max(most, complaint));
};

const portNumber = 'must be a whole number from 0 to 65535; 0 takes any free port.';
const pathRule =
  'must be a path that begins with "/", made of letters, digits and "-._~/", such as /webhook.';

const mountPath = z
  .string()
  .regex(/^\/[\w\-.~/]*$/, pathRule)
  .refine((path) => !path.includes('//'), pathRule)
  .transform((path) => path.replace(/(?<=.)\/$/, ''))
  .refine(
    (path) => !HEALTH_PATHS.includes(path.toLowerCase()),
    'is taken by the health checks: choose another path.',
  )
  .refine(
    (path) => !/^\/(desk|adapters)(\/|$)/i.test(path),
    'is taken by the desk and adapters: choose another path.',
  );

const handoffAuth = z
  .string(`is missing. Say who may send handoff requests: ${HANDOFF_CHOICES}.`)
  .transform((text, context): HandoffAuth => {
    if (text === 'webhook' || text === 'none') return { kind: text };
    const [, kind, token = ''] = /^(path|bearer):(.*)$/s.exec(text) ?? [];
    if (kind !== 'path' && kind !== 'bearer') {
      context.addIssue(`must be one of: ${HANDOFF_CHOICES}.`);
      return z.NEVER;
    }
    const complaint = complaintOf(() => (kind === 'path' ? pathToken(token) : bearer(token)));
    const spaced = /\s/.test(token) ? 'the token has white space in it, which no header can carry.' : null;
    if (complaint ?? spaced) context.addIssue(complaint ?? spaced ?? '');
    return { kind, token };
  });

const databaseUrl = z.string().transform((text, context): DatabaseChoice => {
  const complaint = complaintOf(() => readDatabaseUrl(text));
  if (complaint === null) return readDatabaseUrl(text);
  context.addIssue(inSettingsWords(complaint));
  return z.NEVER;
});

const trustProxy = z.string().transform((text, context): TrustProxy => {
  const complaint = complaintOf(() => readTrustProxy(text));
  if (complaint === null) return readTrustProxy(text);
  context.addIssue(complaint);
  return z.NEVER;
});

const hours = z.string().transform((text, context) => {
  const complaint = complaintOf(() => readHours(parseBusinessHours(text)));
  if (complaint === null) return parseBusinessHours(text);
  context.addIssue(complaint.replace(/^hours\.open\./, '').replace(/^hours\.timeZone/, 'the time zone'));
  return z.NEVER;
});

/** `desk` is the default where agents can answer, so it is decided once all settings are known. */
const adapterChoice = z.enum(
  ['none', 'desk', ...ADAPTER_NAMES],
  `must be one of desk, ${ADAPTER_NAMES.join(', ')} or none.`,
);

const template = z
  .string()
  .refine(
    (text) => !/\{(?!text\})\w+\}/.test(text),
    'has a placeholder that does not exist: {text}, what the user wrote, is the only one.',
  );

/** Every setting, read from text. The messages follow the setting's name: "PORT must be …". */
export const settingsSchema = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}$/, portNumber)
    .transform(Number)
    .pipe(z.number().max(65_535, portNumber))
    .default(3_000),
  host: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an address or a name of this machine, such as 127.0.0.1, :: or localhost.')
    .optional(),
  mountPath: mountPath.default('/webhook'),
  trustProxy: trustProxy.default(false),
  webhookUsername: acceptedBy(
    (username) => webhookUser({ username }),
    "is missing. Set it to the webhook username of the agent's integration settings.",
  ),
  webhookSecret: acceptedBy((secret) => webhookUser({ username: 'any', secret })).optional(),
  handoffAuth,
  serviceBaseUrl: acceptedBy((baseUrl) => createServiceClient({ baseUrl, apiKey: 'any' })).optional(),
  serviceApiKey: acceptedBy((apiKey) =>
    createServiceClient({ baseUrl: 'https://any.example', apiKey }),
  ).optional(),
  databaseUrl: databaseUrl.prefault(DEFAULT_DATABASE_URL),
  concurrency: wholeNumber(1_000).optional(),
  maxAttempts: wholeNumber(1_000).optional(),
  rememberDays: wholeNumber(3_650).optional(),
  whenUnknown: z.enum(['resend', 'park'], 'must be resend or park.').optional(),
  greeting: z.string().optional(),
  autoReply: template.optional(),
  waitTimeout: measure(
    /^\d{1,7}(ms|s)$/i,
    3_600 * UNITS.s,
    'must be a time of at most 3600s with its unit, such as 60s.',
  ).default(60_000),
  adapter: adapterChoice.optional(),
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
  agentNames: z.stringbool({ error: 'must be true or false.' }).default(false),
  businessHours: hours.optional(),
  outsideHours: z.string().optional(),
  unavailable: z.string().optional(),
  probeAuth: z.enum(['required', 'none'], 'must be required or none.').default('required'),
  bodyLimit: measure(
    /^\d{1,9}(b|kb|mb)?$/i,
    100 * UNITS.mb,
    'must be a size of at most 100mb, such as 262144, 256kb or 1mb.',
  ).default(262_144),
  shutdownTimeout: measure(
    /^\d{1,7}(ms|s)$/i,
    3_600 * UNITS.s,
    'must be a time of at most 3600s with its unit, such as 10s or 500ms.',
  ).default(10_000),
  showText: z.stringbool({ error: 'must be true or false.' }).default(false),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`).default('info'),
});

/** What the program is told: every setting, checked. Times are in milliseconds, sizes in bytes. */
export type Settings = z.output<typeof settingsSchema>;
/** The name of a setting in a config file and in code. */
export type SettingKey = keyof Settings;
