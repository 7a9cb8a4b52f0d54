import type { AdapterHttpOptions, HandoffSession } from '../../bridge/index.js';
import { checkDuration, checkOptionNames, configError } from '../../internal/index.js';

export interface RequestTrackerSettings {
  /** The address at which agents open RT, such as `https://rt.example.com` or `https://example.com/rt`. */
  readonly url: string;
  /** An auth token of the RT user that writes on behalf of customers. */
  readonly token: string;
  /** The queue for new tickets, by name or id. */
  readonly queue: string;
  /**
   * The secret that the Scrip signs with; several during a rotation. Without one, replies arrive by polling only.
   */
  readonly webhookSecret?: string | readonly string[];
  /** The subject of a ticket. Default: the customer's first message. */
  readonly subject?: string | ((session: HandoffSession) => string);
  /** The status that `close` sets. Default `resolved`. */
  readonly closeStatus?: string;
  /** The statuses by which an agent closes a conversation. Default `resolved`, `rejected` and `deleted`. */
  readonly closedStatuses?: readonly string[];
  /** Interval between polls. Default 10 seconds, or 5 without a webhook secret. */
  readonly pollEveryMs?: number;
  /** Time limit of a request to RT. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: AdapterHttpOptions['fetch'];
}

/** {@link RequestTrackerSettings}, validated and with defaults. */
export interface CheckedSettings {
  readonly url: string;
  readonly token: string;
  /** The id of the token's user. Tells our own messages from the agents'. */
  readonly selfId: string;
  readonly queue: string;
  readonly secrets: readonly string[];
  readonly subject: ((session: HandoffSession) => string) | null;
  readonly closeStatus: string;
  readonly closedStatuses: ReadonlySet<string>;
  readonly pollEveryMs: number;
  readonly timeoutMs: number;
  readonly fetch: AdapterHttpOptions['fetch'];
}

/** Tokens contain the user's id: `1-<user id>-<secret>`. */
const TOKEN = /^\d+-(\d+)-[0-9a-f]{16,}$/i;

const MIN_SECRET_LENGTH = 16;

const NAMES: readonly (keyof RequestTrackerSettings)[] = [
  'url',
  'token',
  'queue',
  'webhookSecret',
  'subject',
  'closeStatus',
  'closedStatuses',
  'pollEveryMs',
  'timeoutMs',
  'fetch',
];

/** Validates the settings and fills in the defaults. */
export function checkSettings(settings: RequestTrackerSettings): CheckedSettings {
  checkOptionNames('requestTracker', settings, NAMES);
  const { url, token, queue, webhookSecret = [], subject, pollEveryMs, timeoutMs = 10_000, fetch } = settings;
  const { closeStatus = 'resolved', closedStatuses = ['resolved', 'rejected', 'deleted'] } = settings;
  const selfId = TOKEN.exec(token)?.[1];
  if (selfId === undefined) {
    throw configError(
      'request-tracker: the token does not look like one. RT shows it once, when it is created at Admin > Users > (the user) > Auth Tokens > Create: 1-, the number of the user, a hyphen and 32 characters.',
    );
  }
  if (queue.trim() === '') throw configError('request-tracker: name the queue for new tickets.');
  const secrets = typeof webhookSecret === 'string' ? [webhookSecret] : webhookSecret;
  if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw configError(
      `request-tracker: the webhook secret must have ${MIN_SECRET_LENGTH} characters or more: openssl rand -hex 32 makes one.`,
    );
  }
  return {
    url: url.replace(/\/+$/, ''),
    token,
    selfId,
    queue,
    secrets,
    subject: typeof subject === 'string' ? () => subject : (subject ?? null),
    closeStatus,
    closedStatuses: new Set([...closedStatuses, closeStatus]),
    pollEveryMs: checkDuration(
      'request-tracker: pollEveryMs',
      pollEveryMs ?? (secrets.length > 0 ? 10_000 : 5_000),
    ),
    timeoutMs: checkDuration('request-tracker: timeoutMs', timeoutMs),
    fetch,
  };
}
