import { AsyncResource } from 'node:async_hooks';
import { createHmac, hash } from 'node:crypto';
import { type HttpResult, type Log, readRetryAfter, sendRequest } from '../../../internal/index.js';
import type { WebhookPayload } from '../../api.js';
import { createAudit } from '../audit.js';
import { recordsSince } from '../dashboard.js';
import { toConversationUpdate } from '../live-updates.js';
import { createSetting } from '../settings.js';
import {
  DOCUMENT_KIND,
  type Document,
  type DocumentStore,
  type DocumentWrite,
  JOURNAL_TOPIC,
} from '../store/index.js';
import { type DeskEvent, eventsIn, isOverdue, payloadOf } from './webhook-events.js';
import type { StoredWebhook, Webhooks } from './webhooks.js';

/**
 * Sends events to webhooks, signed as the Standard Webhooks specification says. All state is in the store, so that
 * nothing is lost with a process, and any process continues:
 *
 *     journal ── share out ──▶ waiting ── claim, send ──▶ done
 *              (moves the        ▲ │
 *               cursor)          └─┘ failed: again later, for three days
 *
 * Events of one conversation are sent in order. One that is sent twice, by a process that died or was slow, has the
 * same `webhook-id`.
 */
export interface WebhookSender {
  /** Shares out new events, and sends those that are due. Resolves when nothing is left to do now. */
  run(): Promise<void>;
  /** Runs with every change, and every few seconds. */
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookSenderParts {
  readonly store: DocumentStore;
  readonly webhooks: Webhooks;
  readonly log: Log;
  readonly now?: () => number;
}

type Webhook = StoredWebhook & { readonly id: string };

/** An event for one webhook. */
interface StoredDelivery {
  /** The desk's id of the conversation. */
  readonly conversation: string;
  readonly conversationId: string;
  /** Its place in the journal. */
  readonly seq: number;
  readonly payload: WebhookPayload;
  readonly createdAt: number;
  readonly attempts: number;
  /** Not tried before then: another process may be sending it, or it has failed. */
  readonly dueAt: number;
}

const kind = DOCUMENT_KIND.webhookDelivery;
/** The number of the last journal entry that was shared out. */
const CURSOR = 'webhook-cursor';
/** The group of deliveries that are over. The others are in the group of their webhook. */
const DONE = 'done';
const POLL_MS = 5_000;
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** A process that sends for longer than this is gone. */
const CLAIM_MS = 4 * TIMEOUT_MS;
const DAY_MS = 86_400_000;
/** After this time an event is dropped, and a webhook that has only failed is disabled. */
const GIVE_UP_MS = 3 * DAY_MS;
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000] as const;
/** Journal entries shared out at once. */
const PAGE = 50;
/** Deliveries of a webhook that are looked at, and how many of them are sent at once. */
const LOOKED_AT = 500;
const CONCURRENCY = 10;

export function createWebhookSender({
  store,
  webhooks,
  log,
  now = Date.now,
}: WebhookSenderParts): WebhookSender {
  const audit = createAudit(store);
  const cursor = createSetting(store, CURSOR, { seq: 0 });
  let aborted = new AbortController();
  const sending = new Map<string, Promise<void>>();
  let sharing: Promise<void> | null = null;
  let isAgain = false;

  /** Writes a page of events for the webhooks that want them. Resolves to whether there may be more. */
  const shareOut = async (): Promise<boolean> => {
    const all = await webhooks.enabled();
    if (all.length === 0) return false;
    const { value, version } = await cursor.read();
    const after = Math.max(value.seq, Math.min(...all.map(({ since }) => since)));
    const entries = await store.read({ after, topics: [JOURNAL_TOPIC.conversation], limit: PAGE });
    const updates = entries.map(toConversationUpdate);
    const seq = updates.at(-1)?.seq ?? after;
    const events = [
      ...updates.flatMap((update) => eventsIn(update).map((event) => ({ event, seq: update.seq }))),
      ...(await overdueEvents(all)).map((event) => ({ event, seq })),
    ];
    const deliveries = await withoutKnown(
      all.flatMap((webhook) =>
        events
          .filter(({ event, seq: at }) => isFor(webhook, event, at))
          .map(({ event, seq: at }) => deliveryOf(webhook, event, at, now())),
      ),
    );
    if (seq === value.seq && deliveries.length === 0) return false;
    const moved = { kind: DOCUMENT_KIND.settings, id: CURSOR, value: { seq }, version };
    // `null`: another process was faster, and this one looks again.
    const isWritten = await store.write({ put: [moved, ...deliveries] });
    return isWritten === null || entries.length === PAGE;
  };

  /** Conversations that are past their limit: the platform may not close them. */
  const overdueEvents = async (all: readonly Webhook[]): Promise<DeskEvent[]> => {
    if (!all.some(({ events }) => events.includes('sla.missed'))) return [];
    const open = [...(await recordsSince(store, 0, 'waiting')), ...(await recordsSince(store, 0, 'active'))];
    return open
      .filter((record) => isOverdue(record, now()))
      .map((conversation) => ({ type: 'sla.missed', at: conversation.replyBy ?? 0, conversation }));
  };

  /** A missed limit is found at every look, and told once. */
  const withoutKnown = async (deliveries: readonly DocumentWrite[]): Promise<DocumentWrite[]> => {
    const byId = new Map(deliveries.map((each) => [each.id, each]));
    for (const id of byId.keys()) {
      if (id.includes(MISSED) && (await store.get(kind, id))) byId.delete(id);
    }
    return [...byId.values()];
  };

  /** Claims and sends one event. Resolves to whether it was delivered; `null` if another process has it. */
  const attempt = async (webhook: Webhook, document: Document): Promise<boolean | null> => {
    const delivery = document.value as StoredDelivery;
    const attempts = delivery.attempts + 1;
    const claimed = { ...delivery, attempts, dueAt: now() + CLAIM_MS };
    const { id, version } = document;
    if (!(await store.write({ put: [writeOf(id, claimed, version, webhook.id)] }))) return null;
    /** Nothing is written if the event was forgotten meanwhile, or another process has taken it over. */
    const save = (value: StoredDelivery, group: string) =>
      store.write({ put: [writeOf(id, value, version + 1, group)] });
    const result = await send(webhook, id, delivery.payload);
    const problem = problemOf(result);
    if (problem === null) {
      await save(claimed, DONE);
      await onDelivered(webhook);
      return true;
    }
    if (result.kind === 'aborted') {
      await save(delivery, webhook.id);
      return false;
    }
    const isOver = now() - delivery.createdAt > GIVE_UP_MS;
    const asked = retryAfterOf(result, now());
    const dueAt = now() + Math.max(delayAfter(attempts), asked);
    await save({ ...claimed, dueAt }, isOver ? DONE : webhook.id);
    if (isOver) log.error({ webhook: webhook.id, event: id }, `a webhook was not delivered: ${problem}`);
    const isGone = result.kind === 'answered' && result.status === 410;
    await onFailed(webhook, { problem, isGone, asked });
    return false;
  };

  const send = (webhook: Webhook, id: string, payload: WebhookPayload): Promise<HttpResult> => {
    const body = JSON.stringify(payload);
    const timestamp = `${Math.floor(now() / 1_000)}`;
    const headers = new Headers({
      'content-type': 'application/json',
      'user-agent': 'handoff-kit',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(webhook.secret, `${id}.${timestamp}.${body}`),
    });
    return sendRequest(undefined, {
      url: webhook.url,
      method: 'POST',
      headers: async () => headers,
      body,
      timeoutMs: TIMEOUT_MS,
      signal: aborted.signal,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
  };

  const onDelivered = ({ id }: Webhook) =>
    webhooks.change(id, (webhook) => {
      const isRecent = now() - (webhook.deliveredAt ?? 0) < 60_000;
      if (isRecent && webhook.failures === 0) return null;
      const healthy = { failures: 0, retryAt: 0, failingSince: null, problem: null };
      return { webhook: { ...webhook, ...healthy, deliveredAt: now() } };
    });

  const onFailed = async (
    { id }: Webhook,
    { problem, isGone, asked }: { problem: string; isGone: boolean; asked: number },
  ): Promise<void> => {
    let isDisabled = false;
    await webhooks.change(id, (webhook) => {
      isDisabled = false;
      // Of several that were sent at once, the first failure counts.
      if (webhook.disabledAt !== null || webhook.retryAt > now()) return null;
      const failingSince = webhook.failingSince ?? now();
      const failures = webhook.failures + 1;
      isDisabled = isGone || now() - failingSince > GIVE_UP_MS;
      const retryAt = now() + Math.max(delayAfter(failures), asked);
      const failing = { ...webhook, problem, failingSince, failures, retryAt };
      if (!isDisabled) return { webhook: failing };
      const line = audit.line(null, 'webhook disabled', { detail: `${id}: ${problem}` });
      return { webhook: { ...failing, disabledAt: now() }, append: [line] };
    });
    if (isDisabled)
      log.error({ webhook: id }, `a webhook is disabled: ${problem}. An administrator can enable it again`);
    else log.warn({ webhook: id }, `a webhook failed, and is tried again: ${problem}`);
  };

  /** Sends the due events of a webhook. While it fails, one at a time and with growing pauses. */
  const sendAll = async (id: string): Promise<void> => {
    for (;;) {
      const webhook = (await webhooks.enabled()).find((each) => each.id === id);
      if (!webhook || aborted.signal.aborted || webhook.retryAt > now()) return;
      const due = firstOfEach(await store.list(kind, { group: id, limit: LOOKED_AT }))
        .filter(({ value }) => (value as StoredDelivery).dueAt <= now())
        // So that one that always fails does not hold up the others.
        .sort((a, b) => attemptsOf(a) - attemptsOf(b))
        .slice(0, webhook.failures > 0 ? 1 : CONCURRENCY);
      const results = await Promise.all(due.map((document) => attempt(webhook, document)));
      if (due.length === 0 || results.includes(false)) return;
    }
  };

  const run = async (): Promise<void> => {
    do {
      isAgain = false;
      while (!aborted.signal.aborted && (await shareOut()));
    } while (isAgain && !aborted.signal.aborted);
    for (const { id } of await webhooks.enabled()) {
      if (sending.has(id)) continue;
      const done = sendAll(id)
        .catch((err: unknown) => log.warn({ err, webhook: id }, 'events of a webhook could not be sent'))
        .finally(() => sending.delete(id));
      sending.set(id, done);
    }
  };

  // Detached from the request that caused it: audit lines must not have its client's address.
  const look = AsyncResource.bind((): void => {
    isAgain = true;
    sharing ??= run()
      .catch((err: unknown) =>
        log.warn({ err }, "events for webhooks could not be read from the desk's store"),
      )
      .finally(() => {
        sharing = null;
        if (isAgain && !aborted.signal.aborted) look();
      });
  });
  const settled = async (): Promise<void> => {
    while (sharing || sending.size > 0) await Promise.all([sharing, ...sending.values()]);
  };
  let unwatch = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;

  return {
    run() {
      look();
      return settled();
    },
    start() {
      aborted = new AbortController();
      clearInterval(timer);
      timer = setInterval(look, POLL_MS).unref();
      unwatch();
      unwatch = store.watch(look);
      look();
    },
    stop() {
      clearInterval(timer);
      unwatch();
      aborted.abort();
      return settled();
    },
  };
}

const attemptsOf = ({ value }: Document): number => (value as StoredDelivery).attempts;

const delayAfter = (failures: number): number => RETRY_MS[failures - 1] ?? 3_600_000;

const retryAfterOf = (result: HttpResult, now: number): number =>
  result.kind === 'answered' ? (readRetryAfter(result.retryAfter, now) ?? 0) : 0;

/** The first event of each conversation. The list has the oldest first. */
function firstOfEach(documents: readonly Document[]): Document[] {
  const seen = new Set<string>();
  return documents.filter(({ value }) => {
    const { conversation } = value as StoredDelivery;
    const isFirst = !seen.has(conversation);
    seen.add(conversation);
    return isFirst;
  });
}

function isFor(webhook: Webhook, { type, at }: DeskEvent, seq: number): boolean {
  const isNew = type === 'sla.missed' ? at >= webhook.createdAt : seq > webhook.since;
  return isNew && webhook.events.includes(type);
}

const MISSED = '_sla_';

/** A missed limit may be found in the journal and by looking, so its id is that of its conversation. */
function deliveryOf(webhook: Webhook, event: DeskEvent, seq: number, now: number): DocumentWrite {
  const { id: conversation, conversationId } = event.conversation;
  const isMissed = event.type === 'sla.missed';
  const key = isMissed ? `${MISSED}${hash('sha256', conversation, 'hex').slice(0, 16)}` : `_${seq}`;
  const payload = payloadOf(event, webhook.content);
  const state = { createdAt: now, attempts: 0, dueAt: 0 };
  const value: StoredDelivery = { conversation, conversationId, seq, payload, ...state };
  return writeOf(`msg_${webhook.id}${key}`, value, 0, webhook.id);
}

/** The oldest are listed first. */
const writeOf = (id: string, value: StoredDelivery, version: number, group: string): DocumentWrite => ({
  kind,
  id,
  value,
  version,
  group,
  rank: -value.seq,
  conversationId: value.conversationId,
});

/** What went wrong; `null` for a success. The answer's text is not told: it may be of another service. */
function problemOf(result: HttpResult): string | null {
  if (result.kind !== 'answered')
    return 'errorCode' in result && result.errorCode !== null ? result.errorCode : result.kind;
  if (result.status >= 200 && result.status < 300) return null;
  const isRedirect = result.status >= 300 && result.status < 400;
  return `HTTP ${result.status}${isRedirect ? ': redirects are not followed' : ''}`;
}

/** As the specification says: the secret is Base64 after its prefix. */
const signatureOf = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64')}`;
