import { z } from 'zod';
import { ADAPTER_NAMES, ADAPTERS, type AdapterName } from './adapter-settings.js';
import { type SettingInfo, type SettingTexts, settingsOf } from './setting.js';
import {
  businessHours,
  credential,
  databaseUrl,
  duration,
  httpUrl,
  list,
  matching,
  mountPath,
  pairs,
  size,
  trustProxy,
  wholeNumber,
} from './setting-forms.js';

/** The ways in which handoff requests authenticate. */
export const HANDOFF_AUTH_KINDS = ['path', 'bearer', 'webhook', 'none'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const text = z.string().optional();
const count = (max: number) => wholeNumber(1, max).optional();
const flag = z.stringbool({ error: 'must be true or false.' }).default(false);

const HANDOFF_AUTH_CHOICES =
  'path (HANDOFF_TOKEN in the path; the default with a token), bearer (HANDOFF_TOKEN as Bearer), webhook (the same credentials as messages) or none';

/** The systems that have bots of their own, each with the ids of its bots. */
export type BotAdapters = ReadonlyMap<AdapterName | 'desk', readonly string[]>;

const BOT_ADAPTER_NAMES = ['desk', ...ADAPTER_NAMES] as const;

const botAdapters = list(
  matching(
    new RegExp(`^[^=\\s]+\\s*=\\s*(${BOT_ADAPTER_NAMES.join('|')})$`),
    `must be bot ids with helpdesks, such as 65d4a1=slack, 65d4a2=desk. The helpdesks are ${BOT_ADAPTER_NAMES.join(', ')}.`,
  ),
)
  .transform((parts) => parts.map((part) => part.split('=').map((side) => side.trim())))
  .refine((bots) => new Set(bots.map(([id]) => id)).size === bots.length, 'names a bot twice.')
  .transform((bots): BotAdapters => {
    const idsOf = (system: string) => bots.flatMap(([id = '', name]) => (name === system ? [id] : []));
    const systems = BOT_ADAPTER_NAMES.map((name) => [name, idsOf(name)] as const);
    return new Map(systems.filter(([, ids]) => ids.length > 0));
  })
  .optional();

const server = z.object({
  port: wholeNumber(0, 65_535, '; 0 takes any free port')
    .default(3_000)
    .describe('PORT=<number>: the port to listen on; 0 takes any free port; default 3000'),
  host: matching(
    /^[\w.:-]+$/,
    'must be an address or a name of this machine, such as 127.0.0.1, :: or localhost.',
  )
    .optional()
    .describe('HOST=<address>: the address to listen on; default all addresses, with --dev 127.0.0.1'),
  mountPath: mountPath.describe(
    'MOUNT_PATH=<path>: the path of the message webhook; the handoff endpoints are below it; default /webhook',
  ),
  publicUrl: httpUrl('must be the address of this program, such as https://help.example.com.')
    .optional()
    .describe(
      'PUBLIC_URL=<url>: the public URL of this program, such as https://help.example.com; the desk is below it, at /desk, and answers requests for this host only. On HTTPS, its cookies are bound to the host and browsers are told to use HTTPS only',
    ),
  trustProxy: trustProxy.describe(
    'TRUST_PROXY=<proxies>: the proxies whose X-Forwarded-* headers are trusted: false (default), the number of proxies, their addresses, or true for any',
  ),
  bodyLimit: size(104_857_600, 'must be a size of at most 100mb, such as 262144, 256kb or 1mb.')
    .default(262_144)
    .describe('BODY_LIMIT=<size>: the largest request body; default 256kb'),
});

const authentication = z.object({
  webhookUsername: credential(
    "is missing. Set it to the webhook username of the bot's integration settings.",
  ).describe("WEBHOOK_USERNAME=<name>: the webhook username from the bot's integration settings; required"),
  webhookSecret: credential()
    .optional()
    .describe(
      'WEBHOOK_SECRET=<secret>: the webhook secret from the same settings, if one is set there; empty is not set',
    ),
  handoffAuth: z
    .enum(HANDOFF_AUTH_KINDS, {
      error: ({ input }) =>
        input === undefined
          ? `is missing. Set HANDOFF_TOKEN (make one: openssl rand -hex 24), or say how else handoff requests authenticate: ${HANDOFF_AUTH_CHOICES}.`
          : `must be one of: ${HANDOFF_AUTH_CHOICES}.`,
    })
    .describe(
      'HANDOFF_AUTH=<choice>: how handoff requests authenticate: path (default with HANDOFF_TOKEN), bearer, webhook or none; required',
    ),
  handoffToken: text.describe(
    'HANDOFF_TOKEN=<token>: the token of handoff requests, at least 16 characters: openssl rand -hex 24',
  ),
  probeAuth: z
    .enum(['required', 'none'], 'must be required or none.')
    .default('required')
    .describe('PROBE_AUTH=<choice>: whether availability tests need credentials: required (default) or none'),
});

const replies = z.object({
  platformBaseUrl: httpUrl(
    'must be a full http or https address without user, password and query, such as https://api.example.com.',
  )
    .optional()
    .describe('PLATFORM_BASE_URL=<url>: the base URL of the platform, for replies; no default'),
  platformApiKey: matching(
    /^[\x21-\x7e]+$/,
    'must be the key alone, without "Bearer", spaces and line breaks. Copy it again.',
  )
    .optional()
    .describe("PLATFORM_API_KEY=<key>: the bot's API key, for replies"),
  greeting: text.describe('GREETING=<text>: the first reply of every handoff, sent at once'),
  autoReply: matching(
    /^(?!.*\{(?!text\})\w+\})/s,
    "has a placeholder that does not exist: {text}, the user's message, is the only one.",
  )
    .optional()
    .describe(
      "AUTO_REPLY=<text>: the answer to every message of a handoff; {text} stands for the user's message",
    ),
  waitTimeout: duration('must be a time of at most 3600s with its unit, such as 60s.')
    .default(60_000)
    .describe(
      'WAIT_TIMEOUT=<time>: how long the platform waits for the first reply, from its settings; default 60s',
    ),
});

const storage = z.object({
  databaseUrl: databaseUrl.describe(
    'DATABASE_URL=<url>: the database for events and replies: sqlite:<file>, postgres://… or none; default sqlite:./handoff.db',
  ),
  concurrency: count(1_000).describe(
    'CONCURRENCY=<number>: the number of stored conversations handled at the same time; default 16, with PostgreSQL 32',
  ),
  maxAttempts: count(1_000).describe(
    'MAX_ATTEMPTS=<number>: failed attempts to handle a stored event before it becomes a dead letter; default 8',
  ),
  rememberDays: count(3_650).describe(
    'REMEMBER_DAYS=<number>: days for which handled events are remembered, so that repeats are recognised; default 7',
  ),
  whenUnknown: z
    .enum(['resend', 'dead-letter'], 'must be resend or dead-letter.')
    .optional()
    .describe(
      'WHEN_UNKNOWN=<choice>: what to do with a reply when it is unknown whether it arrived: resend (default; the user may see it twice) or dead-letter (the user may not see it)',
    ),
});

const agents = z.object({
  // The default depends on other settings: `chooseAdapter` decides it.
  adapter: z
    .enum(['none', 'desk', ...ADAPTER_NAMES], `must be one of desk, ${ADAPTER_NAMES.join(', ')} or none.`)
    .optional()
    .describe(
      `ADAPTER=<name>: where agents answer: desk (in the browser), ${ADAPTER_NAMES.join(', ')}, or none, which refuses handoff requests unless AUTO_REPLY answers; default desk when replies and storage are on and AUTO_REPLY is off`,
    ),
  botAdapters: botAdapters.describe(
    'BOT_ADAPTERS=<list>: other helpdesks for the handoffs of some bots, by the bot_id of the request: 65d4a1=slack, 65d4a2=desk; ADAPTER takes all others',
  ),
  agentNames: flag.describe("AGENT_NAMES: put the agent's name before each reply"),
  businessHours: businessHours.describe(
    "BUSINESS_HOURS=<hours>: the hours in which agents answer, such as 'Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00'; default always",
  ),
  outsideHours: text.describe(
    'OUTSIDE_HOURS=<text>: the reply to users outside these hours; without it the handoff request is refused',
  ),
  unavailable: text.describe(
    'UNAVAILABLE=<text>: the reply to users whose conversation cannot be opened; without it the handoff request is refused',
  ),
  delayed: text.describe(
    'DELAYED=<text>: the reply to users whose messages wait because the helpdesk does not answer, at most every ten minutes; default none',
  ),
  undelivered: text.describe(
    'UNDELIVERED=<text>: the reply to users whose message no agent read, since the conversation had just ended in the helpdesk; default a sentence in English that asks them to ask again',
  ),
});

const hookUrl = matching(
  /^https?:\/\/[^\s/@]+(\/\S*)?$/,
  'must be an address such as https://hooks.example.com/….',
).optional();

const mailAddress = matching(
  /^[^\s@<>,;]+@[^\s@<>,;]+$/,
  'must be an e-mail address, such as team@example.com.',
);

const desk = z.object({
  deskIdleMinutes: count(1_440).describe(
    'DESK_IDLE_MINUTES=<number>: the minutes without activity after which an agent is logged out of the desk; default 30',
  ),
  deskAssistBaseUrl: httpUrl('must be an http or https URL, such as https://api.openai.com/v1.')
    .optional()
    .describe(
      'DESK_ASSIST_BASE_URL=<url>: the address of a language model with an interface like OpenAI, such as https://api.openai.com/v1: drafts, summaries and translations for agents; parts of conversations are sent there',
    ),
  deskAssistModel: text.describe('DESK_ASSIST_MODEL=<name>: the model that answers'),
  deskAssistApiKey: text.describe('DESK_ASSIST_API_KEY=<key>: the key of the model; default none'),
  deskAssistRedact: z
    .enum(['contacts', 'none'], 'must be contacts or none.')
    .optional()
    .describe(
      'DESK_ASSIST_REDACT=<what>: what is replaced in texts for the model: contacts (e-mail addresses and long numbers) or none; default contacts',
    ),
  deskOpenidIssuer: text.describe(
    'DESK_OPENID_ISSUER=<url>: the issuer of an OpenID Connect provider where agents can log in, beside passwords; needs PUBLIC_URL and the package openid-client',
  ),
  deskOpenidClientId: text.describe(
    "DESK_OPENID_CLIENT_ID=<id>: the desk's client id at the provider; its redirect URI is <PUBLIC_URL>/desk/login/openid/callback",
  ),
  deskOpenidClientSecret: text.describe(
    "DESK_OPENID_CLIENT_SECRET=<secret>: the desk's client secret at the provider",
  ),
  deskOpenidRoleClaim: text.describe(
    'DESK_OPENID_ROLE_CLAIM=<name>: the claim that decides the role of an agent; default groups',
  ),
  deskOpenidRoles: pairs(
    /^[^\s=].*=\s*(agent|supervisor|administrator)$/,
    'must name roles as in support=agent,leads=supervisor,it=administrator.',
  )
    .pipe(z.record(z.string(), z.enum(['agent', 'supervisor', 'administrator'])))
    .optional()
    .describe(
      'DESK_OPENID_ROLES=<roles>: the role for each value of the claim: support=agent,leads=supervisor,it=administrator; others may not log in',
    ),
  deskEscalationMinutes: matching(
    /^(?=.*[1-9])\d{1,4}(\.\d{1,3})?$/,
    'must be a number of minutes, such as 5 or 0.5.',
  )
    .transform(Number)
    .optional()
    .describe(
      'DESK_ESCALATION_MINUTES=<number>: the minutes, such as 5 or 0.5, that a user may wait for an answer before the team is told, once per wait; needs PUBLIC_URL and one of the three settings below; default never',
    ),
  deskEscalationSlackUrl: hookUrl.describe(
    'DESK_ESCALATION_SLACK_URL=<url>: the incoming webhook of Slack that is told',
  ),
  deskEscalationWebhookUrl: hookUrl.describe(
    'DESK_ESCALATION_WEBHOOK_URL=<url>: a URL that is told by a POST of JSON',
  ),
  deskEscalationEmail: list(mailAddress)
    .optional()
    .describe(
      'DESK_ESCALATION_EMAIL=<addresses>: the e-mail addresses that are told; needs the package nodemailer and the two settings below',
    ),
  deskEscalationEmailFrom: mailAddress
    .optional()
    .describe('DESK_ESCALATION_EMAIL_FROM=<address>: the address that these mails come from'),
  deskEscalationSmtpUrl: matching(
    /^smtps?:\/\/[^\s/]+/,
    'must be smtps://user:password@host, or smtp://user:password@host for STARTTLS.',
  )
    .optional()
    .describe(
      'DESK_ESCALATION_SMTP_URL=<url>: the server that takes these mails: smtps://user:password@host, or smtp:// for STARTTLS',
    ),
});

const operation = z.object({
  showText: flag.describe('SHOW_TEXT: also print what users and agents write, which is hidden by default'),
  logLevel: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`)
    .default('info')
    .describe(
      'LOG_LEVEL=<level>: fatal, error, warn, info, debug, trace or silent; default info, with --dev warn',
    ),
  shutdownDelay: duration(
    'must be a time of at most 3600s with its unit, such as 10s; 0s closes the port at once.',
    0,
  )
    .default(0)
    .describe(
      'SHUTDOWN_DELAY=<time>: the time after SIGTERM in which /readyz answers 503 and requests are still accepted, so that a load balancer goes elsewhere; default 0s, behind a load balancer 10s or more',
    ),
  shutdownTimeout: duration('must be a time of at most 3600s with its unit, such as 10s or 500ms.')
    .default(10_000)
    .describe(
      'SHUTDOWN_TIMEOUT=<time>: the time that running handlers get to finish at shutdown; default 10s',
    ),
});

/** The settings of the program. Those of helpdesks are in {@link ADAPTERS}. */
export const settingsSchema = z.object({
  ...server.shape,
  ...authentication.shape,
  ...replies.shape,
  ...storage.shape,
  ...agents.shape,
  ...desk.shape,
  ...operation.shape,
});

type EnvOf<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? '_' : ''}${Uppercase<First>}${EnvOf<Rest>}`
  : '';

/** Texts of the program's settings before validation, by the name in the environment. */
export type ProgramTexts = {
  readonly [Key in keyof z.output<typeof settingsSchema> as EnvOf<Key>]?: string | undefined;
};

/** The settings after validation. Durations are in milliseconds, sizes in bytes. */
export interface Settings extends z.output<typeof settingsSchema> {
  /** The settings of helpdesks, which {@link ADAPTERS} reads. */
  readonly helpdesks?: SettingTexts;
}

/**
 * The adapter of the settings. Without ADAPTER it is the desk, provided that agents can answer and log in (replies
 * and storage are on) and AUTO_REPLY does not answer already.
 */
export function chooseAdapter({
  adapter,
  platformBaseUrl,
  autoReply,
  databaseUrl: database,
}: Pick<Settings, 'adapter' | 'platformBaseUrl' | 'autoReply' | 'databaseUrl'>):
  | AdapterName
  | 'desk'
  | 'none' {
  const deskCanWork = platformBaseUrl !== undefined && autoReply === undefined && database.kind !== 'none';
  return adapter ?? (deskCanWork ? 'desk' : 'none');
}

/** Settings that are explained together. */
export interface SettingGroup {
  readonly title: string;
  readonly settings: readonly SettingInfo[];
}

/** Every setting in exactly one group, in the order of the help and of `docs/settings.md`. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Server', settings: settingsOf(server) },
  { title: 'Authentication', settings: settingsOf(authentication) },
  { title: 'Replies to users', settings: settingsOf(replies) },
  { title: 'Storage', settings: settingsOf(storage) },
  { title: 'Agents', settings: settingsOf(agents) },
  { title: 'With ADAPTER=desk', settings: settingsOf(desk) },
  ...ADAPTER_NAMES.map((name) => ({
    title: `With ADAPTER=${name}`,
    settings: settingsOf(ADAPTERS[name].schema),
  })),
  { title: 'Output and shutdown', settings: settingsOf(operation) },
];

/** Every setting. */
export const SETTINGS: readonly SettingInfo[] = SETTING_GROUPS.flatMap(({ settings }) => settings);

/** The settings that each bot has for itself, where a config file names several bots. */
export const BOT_SETTINGS: readonly SettingInfo[] = settingsOf(
  settingsSchema.pick({
    webhookUsername: true,
    webhookSecret: true,
    handoffAuth: true,
    handoffToken: true,
    platformBaseUrl: true,
    platformApiKey: true,
  }),
);
