import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkOptionNames,
  createWarnOnce,
  HandoffKitError,
  type Log,
  readRetryAfter,
  requireOptional,
} from '../../../internal/index.js';
import type { AgentView, ConversationEvent, PushMessage, PushSubscriptionInput } from '../../api.js';
import type { AgentSession } from '../agents/sessions.js';
import type {
  ConversationRecord,
  ConversationRecords,
  StoredUpdate,
} from '../conversations/conversation-records.js';
import { DeskError } from '../errors.js';
import type { Teams } from '../settings.js';
import { DOCUMENT_KIND, type DocumentStore, JOURNAL_TOPIC, type JournalEntry } from '../store/index.js';
import { isAllowedEndpoint, type PushAnswer, sendPush } from './push-request.js';
import { digest, type PushSubscription, type PushSubscriptions, VISIBLE_MS } from './push-subscriptions.js';

/** Notifications of the browser while the desk's page is closed. They need the package `web-push`. */
export interface WebPushOptions {
  /** For tests: browsers may also name push services on this machine, without HTTPS. Default `false`. */
  readonly allowLoopback?: boolean;
}

/**
 * Notifies agents who see no page of the desk, through the push service of their browser:
 *
 *     commit ──> look: is it still news? ──> a page of the agent is visible ──> look once more, later
 *                  │                                                             │
 *                  └──────────> no page is visible <─────────────────────────────┘
 *                                   │
 *                               attempt ── 2xx ──> shown by the service worker
 *                               ▲     │└── 404, 410 ──> the subscription is removed
 *                               └─────┘ 429, 5xx, no answer: three attempts, then dropped
 *
 * The process that commits a change notifies, so that each change is pushed once. If it ends in between, the notification
 * is lost; the escalation is for what must not get lost.
 */
export interface WebPush {
  /** Whether pages may subscribe. */
  readonly isOn: boolean;
  /** The key that browsers subscribe with, the same at all processes; `null` if it is off or the package is missing. */
  publicKey(): Promise<string | null>;
  subscribe(agent: AgentView, session: AgentSession, subscription: PushSubscriptionInput): Promise<void>;
  /** The store, with a listener on what this process commits. */
  observe(store: DocumentStore): DocumentStore;
  stop(): void;
}

export interface WebPushParts {
  /** Not observed. */
  readonly store: DocumentStore;
  readonly subscriptions: PushSubscriptions;
  readonly records: ConversationRecords;
  readonly teams: Teams;
  readonly log: Log;
  readonly options: WebPushOptions | false;
  /** Tells push services whom to ask about this desk. */
  readonly subject: string;
}

/** Something to notify agents of. */
type News = Pick<PushMessage, 'kind' | 'conversation'>;

/** Messages in quick succession become one notification. */
const GATHER_MS = 1_000;
/** Until then, the rules have assigned a new conversation, or an agent at the desk has claimed it. */
const CLAIM_MS = 4_000;
/** After this time, a notification that the browser has not fetched is of no use. */
const TTL_SECONDS = 1_800;
/** Delays before the second and the third attempt. */
const RETRY_MS = [2_000, 15_000] as const;
/** A push service that asks for more is given up on. */
const MAX_RETRY_AFTER_MS = 120_000;
const MAX_AGENTS = 1_000;

export function createWebPush(parts: WebPushParts): WebPush {
  const { store, subscriptions, records, teams, log, options, subject } = parts;
  if (options !== false) checkOptionNames('webPush of createDesk', options, ['allowLoopback']);
  const allowLoopback = options !== false && (options.allowLoopback ?? false);
  const isOn = options !== false && isInstalled();
  const warnOnce = createWarnOnce(log);
  const stopping = new AbortController();
  const { signal } = stopping;
  const scheduled = new Map<string, NodeJS.Timeout>();
  const load = createLibrary(store);

  const attempt = async ({ endpoint, keys, language }: PushSubscription, news: News): Promise<PushAnswer> => {
    const { webPush, keyPair } = await load();
    const message: PushMessage = { ...news, language };
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(message), {
      vapidDetails: { subject, ...keyPair },
      TTL: TTL_SECONDS,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
      // For a browser that is offline, the push service keeps the last one of a conversation.
      topic: digest(news.conversation).slice(0, 32),
    });
    return sendPush(endpoint, { headers, body: Buffer.from(body ?? '') }, { allowLoopback, signal });
  };

  /** Never rejects. */
  const push = async (subscription: PushSubscription, news: News): Promise<void> => {
    const { host } = new URL(subscription.endpoint);
    for (const delayMs of [...RETRY_MS, null]) {
      // Of an error, only the code: its text can quote the endpoint, which is a secret of the browser.
      const { status, retryAfter, code } = await attempt(subscription, news).then(
        (answer) => ({ ...answer, code: null }),
        (error: unknown) => ({ status: null, retryAfter: null, code: codeOf(error) }),
      );
      if (signal.aborted || (status !== null && status >= 200 && status < 300)) return;
      if (status === 404 || status === 410) {
        await subscriptions.drop([subscription.id]).catch(() => undefined);
        return;
      }
      const waitMs = readRetryAfter(retryAfter, Date.now()) ?? 0;
      const isPassing = status === null || status === 429 || status >= 500;
      if (!isPassing || delayMs === null || waitMs > MAX_RETRY_AFTER_MS) {
        log.warn({ host, status, code }, 'a push service did not take a notification');
        return;
      }
      await sleep(Math.max(delayMs, waitMs), undefined, { signal, ref: false }).catch(() => undefined);
    }
  };

  /** The agents of those given whom news of a conversation concern, as it is now. */
  const concerned = async (
    { kind }: News,
    record: ConversationRecord,
    agents: readonly string[],
  ): Promise<readonly string[]> => {
    if (kind !== 'waiting') return agents.filter((agent) => needsAgent(kind, agent, record));
    if (record.state !== 'waiting') return [];
    const away = (await store.list(DOCUMENT_KIND.away, { limit: MAX_AGENTS })).map(({ id }) => id);
    const team = (await teams.list()).teams.find(({ id }) => id === record.team);
    const others = new Set([...away, ...record.declined]);
    return agents.filter((agent) => !others.has(agent) && (!team || team.members.includes(agent)));
  };

  const look = async (news: News, only: readonly string[] | null): Promise<void> => {
    const all = await subscriptions.list();
    const found = all.length > 0 ? await records.get(news.conversation) : null;
    if (!found) return;
    const subscribed = [...new Set(all.map(({ agent }) => agent))];
    const watching: string[] = [];
    for (const agent of await concerned(news, found.record, only ?? subscribed)) {
      if (await subscriptions.isVisible(agent)) {
        watching.push(agent);
        continue;
      }
      for (const subscription of all.filter((each) => each.agent === agent)) {
        if (await subscriptions.isValid(subscription)) void push(subscription, news);
        else await subscriptions.drop([subscription.id]);
      }
    }
    // A page can vanish without a word, such as that of a laptop that was shut.
    if (watching.length > 0 && only === null) schedule(news, VISIBLE_MS, watching);
  };

  const schedule = (news: News, delayMs: number, only: readonly string[] | null): void => {
    const key = JSON.stringify([news.kind, news.conversation, only]);
    if (scheduled.has(key)) return;
    const timer = setTimeout(() => {
      scheduled.delete(key);
      look(news, only).catch((err: unknown) => log.warn({ err }, 'the desk could not notify agents'));
    }, delayMs);
    scheduled.set(key, timer.unref());
  };

  const onEntry = ({ topic, value }: JournalEntry): void => {
    if (topic !== JOURNAL_TOPIC.conversation || signal.aborted) return;
    const { event, summary } = value as StoredUpdate;
    const isOwn = event.type === 'message' && event.from === 'agent';
    const kind = isOwn ? undefined : NEWS[event.type];
    if (kind) schedule({ kind, conversation: summary.id }, kind === 'waiting' ? CLAIM_MS : GATHER_MS, null);
  };

  return {
    isOn,
    async publicKey() {
      if (options === false) return null;
      try {
        return (await load()).keyPair.publicKey;
      } catch (error) {
        if (!(error instanceof HandoffKitError)) throw error;
        warnOnce(error.code, {}, error.message);
        return null;
      }
    },
    async subscribe(agent, session, subscription) {
      if (options === false || !isAllowedEndpoint(subscription.endpoint, allowLoopback))
        throw new DeskError('INVALID');
      await subscriptions.add(agent, session, subscription);
    },
    observe: (inner) => ({
      ...inner,
      async write(change) {
        const result = await inner.write(change);
        if (isOn) for (const entry of result?.entries ?? []) onEntry(entry);
        return result;
      },
    }),
    stop() {
      stopping.abort();
      for (const timer of scheduled.values()) clearTimeout(timer);
      scheduled.clear();
    },
  };
}

const NEWS: Partial<Record<ConversationEvent['type'], News['kind']>> = {
  opened: 'waiting',
  released: 'waiting',
  unassigned: 'waiting',
  passed: 'waiting',
  assigned: 'assigned',
  transferred: 'assigned',
  message: 'message',
};

const needsAgent = (
  kind: 'message' | 'assigned',
  agent: string,
  { state, agent: holder, read, customerMessages }: ConversationRecord,
): boolean =>
  state === 'active' && holder === agent && (kind === 'assigned' || (read[agent] ?? 0) < customerMessages);

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
};

function isInstalled(): boolean {
  try {
    requireOptional.resolve('web-push');
    return true;
  } catch {
    return false;
  }
}

interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const KEYS = { kind: DOCUMENT_KIND.settings, id: 'web-push-keys' } as const;

/** Loads the package and the desk's keys on first use; again if that failed. */
function createLibrary(store: DocumentStore) {
  const readKeys = async (): Promise<KeyPair | undefined> =>
    (await store.get(KEYS.kind, KEYS.id))?.value as KeyPair | undefined;
  const load = async () => {
    const { default: webPush } = await import('web-push').catch((cause: unknown) => {
      throw new HandoffKitError(
        'WEB_PUSH_MISSING',
        "notifications while the desk's page is closed need the package web-push. Run: npm install web-push",
        { cause },
      );
    });
    const found = await readKeys();
    if (found) return { webPush, keyPair: found };
    const made = webPush.generateVAPIDKeys();
    // Of several processes, the first one's pair is kept.
    const isFirst = await store.write({ put: [{ ...KEYS, value: made, version: 0 }] });
    return { webPush, keyPair: isFirst ? made : ((await readKeys()) ?? made) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return (): ReturnType<typeof load> => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
