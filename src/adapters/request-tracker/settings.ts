import type { AdapterHttpOptions, HandoffSession } from '../../bridge/index.js';
import { configError, duration } from '../../internal/index.js';

/** What the adapter of Request Tracker must know. */
export interface RequestTrackerSettings {
  /** Where agents open RT in a browser, such as `https://rt.example.com` or `https://example.com/rt`. */
  readonly url: string;
  /** An auth token of the RT user that writes for the customers. */
  readonly token: string;
  /** The queue in which tickets are made, by name or id. */
  readonly queue: string;
  /**
   * The secret that the Scrip signs with; several while it is being changed. Without one, replies come by
   * polling only.
   */
  readonly webhookSecret?: string | readonly string[];
  /** The subject of a ticket. Default the customer's first words. */
  readonly subject?: string | ((session: HandoffSession) => string);
  /** The status that ends a ticket. Default `resolved`. */
  readonly closeStatus?: string;
  /** The statuses that mean that an agent has ended it. Default `resolved`, `rejected` and `deleted`. */
  readonly closedStatuses?: readonly string[];
  /** How often to look for what no Scrip told. Default 10 seconds, without a secret 5. */
  readonly pollEveryMs?: number;
  /** How long RT may take for an answer. Default 10 seconds. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: AdapterHttpOptions['fetch'];
}

/** The settings with their defaults, held against what can be known without asking RT. */
export interface Settled {
  readonly url: string;
  readonly token: string;
  /** The id of the token's own user: what tells our own words from the agents'. */
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

/** RT writes the user's id into the token: `1-<user id>-<secret>`. */
const TOKEN = /^\d+-(\d+)-[0-9a-f]{16,}$/i;

const SHORTEST_SECRET = 16;

/** Fills in the defaults, or says what is wrong with the settings. */
export function settle({
  url,
  token,
  queue,
  webhookSecret = [],
  subject,
  closeStatus = 'resolved',
  closedStatuses = ['resolved', 'rejected', 'deleted'],
  pollEveryMs,
  timeoutMs = 10_000,
  fetch,
}: RequestTrackerSettings): Settled {
  const selfId = TOKEN.exec(token)?.[1];
  if (selfId === undefined) {
    throw configError(
      'request-tracker: the token does not look like one. RT shows it once, when it is made at Admin > Users > (the user) > Auth Tokens > Create: 1-, the number of the user, a hyphen and 32 characters.',
    );
  }
  if (queue.trim() === '') throw configError('request-tracker: name the queue in which tickets are made.');
  const secrets = typeof webhookSecret === 'string' ? [webhookSecret] : webhookSecret;
  if (secrets.some((secret) => secret.length < SHORTEST_SECRET)) {
    throw configError(
      `request-tracker: the webhook secret must have ${SHORTEST_SECRET} characters or more: openssl rand -hex 32 makes one.`,
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
    pollEveryMs: duration(
      'request-tracker: pollEveryMs',
      pollEveryMs ?? (secrets.length > 0 ? 10_000 : 5_000),
    ),
    timeoutMs: duration('request-tracker: timeoutMs', timeoutMs),
    fetch,
  };
}
