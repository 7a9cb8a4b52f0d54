import { checkOptionNames, configError, type Log } from '../../../internal/index.js';
import { type ConversationRecord, recordOf } from '../conversations/conversation-records.js';
import { DOCUMENT_KIND, type DocumentStore, type DocumentWrite } from '../store/index.js';
import {
  ChannelError,
  createChannels,
  type EscalationChannel,
  type EscalationNotice,
  type EscalationTargets,
} from './escalation-channels.js';

/** Tells the team about conversations that wait for too long. */
export interface EscalationOptions {
  /** For how many minutes a customer has waited for the first answer, or for the next one. */
  readonly afterMinutes: number;
  readonly to: EscalationTargets;
}

/**
 * Sends a notice for each wait that is too long, once:
 *
 *     the customer writes ── afterMinutes ──> due ── claim ──> sending ──> sent
 *                                              ▲                  │
 *                                              └── later, to the channels that failed
 *
 *     an agent replies: the wait is over, and the customer's next message begins another
 *
 * Every process looks for them. A claim is a compare-and-set of the conversation's escalation document and lasts for a
 * while: if its process ends before it has stored the outcome, another one sends the notice again.
 */
export interface Escalation {
  start(): void;
  /** Resolves when notices that are being sent are done. */
  stop(): Promise<void>;
}

export interface EscalationParts {
  readonly store: DocumentStore;
  readonly log: Log;
  readonly options: EscalationOptions;
  readonly urlOf: (id: string) => string;
  /** The delay after the first failure of a channel; it doubles with each further one. Default half a minute. */
  readonly minRetryMs?: number;
}

/** The notice about one wait of a conversation. */
interface StoredEscalation {
  /** When the wait began. */
  readonly since: number;
  /** The channels that have not taken the notice. */
  readonly pending: readonly string[];
  readonly attempts: number;
  /** When a process may send to the pending channels; during an attempt, when its claim ends. */
  readonly dueAt: number;
}

/** Longer than an attempt takes, by the clock of any process. */
const CLAIM_MS = 120_000;
const MIN_RETRY_MS = 30_000;
const MAX_RETRY_MS = 900_000;
/** Waits are looked for four times in `afterMinutes`, within these limits. */
const MIN_SCAN_MS = 50;
const MAX_SCAN_MS = 15_000;
/** More conversations than a desk has open at a time. */
const MAX_OPEN = 10_000;
/** Notices sent at the same time. */
const AT_ONCE = 10;

export function createEscalation({
  store,
  log,
  options,
  urlOf,
  minRetryMs = MIN_RETRY_MS,
}: EscalationParts): Escalation {
  checkOptionNames('escalation of createDesk', options, ['afterMinutes', 'to']);
  const afterMs = options.afterMinutes * 60_000;
  if (!(Number.isFinite(afterMs) && afterMs > 0))
    throw configError('escalation.afterMinutes must be a number of minutes, more than 0.');
  const channels = createChannels(options.to);
  const kind = DOCUMENT_KIND.escalation;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  const overdueSince = ({ unansweredSince, snoozedUntil }: ConversationRecord): number | null => {
    const now = Date.now();
    if (typeof unansweredSince !== 'number' || (snoozedUntil ?? 0) > now) return null;
    return now - unansweredSince >= afterMs ? unansweredSince : null;
  };

  const noticeOf = (record: ConversationRecord, since: number): EscalationNotice => ({
    id: `${record.id} ${since}`,
    url: urlOf(record.id),
    conversationId: record.conversationId,
    waitingSince: new Date(since).toISOString(),
    waitedSeconds: Math.floor((Date.now() - since) / 1_000),
    isFirstAnswer: record.firstReplyAt === null,
    agent: record.agent,
  });

  const trySend = async (channel: EscalationChannel, notice: EscalationNotice): Promise<number | null> => {
    try {
      await channel.send(notice);
      return null;
    } catch (error) {
      const { message, retryAfterMs } = error instanceof ChannelError ? error : new ChannelError('failed');
      log.error(
        { channel: channel.name, conversation: notice.conversationId, reason: message },
        'the team could not be told that a conversation waits; the desk tries again',
      );
      return retryAfterMs;
    }
  };

  /** Claims and sends the notice of a conversation, unless it was sent or another process is at it. */
  const escalate = async (id: string): Promise<void> => {
    const document = await store.get(kind, id);
    // Read after it: an agent may have replied since the list was read.
    const conversation = await store.get(DOCUMENT_KIND.conversation, id);
    const record = conversation && recordOf(conversation);
    const since = record && overdueSince(record);
    if (!record || record.state === 'closed' || since === null) return;
    const stored = document?.value as StoredEscalation | undefined;
    const known: StoredEscalation =
      stored?.since === since
        ? stored
        : { since, pending: channels.map(({ name }) => name), attempts: 0, dueAt: 0 };
    if (known.pending.length === 0 || known.dueAt > Date.now()) return;

    const version = document?.version ?? 0;
    const put = (value: StoredEscalation, replaced: number): Promise<unknown> => {
      const write: DocumentWrite = {
        kind,
        id,
        value,
        version: replaced,
        conversationId: record.conversationId,
      };
      return store.write({ put: [write] });
    };
    if (!(await put({ ...known, dueAt: Date.now() + CLAIM_MS }, version))) return;
    const notice = noticeOf(record, since);
    const failures = await Promise.all(
      channels
        .filter(({ name }) => known.pending.includes(name))
        .map(async (channel) => ({ name: channel.name, retryAfterMs: await trySend(channel, notice) })),
    );
    const failed = failures.flatMap(({ name, retryAfterMs }) =>
      retryAfterMs === null ? [] : [{ name, retryAfterMs }],
    );
    const delayMs = Math.max(
      Math.min(minRetryMs * 2 ** known.attempts, MAX_RETRY_MS),
      ...failed.map(({ retryAfterMs }) => retryAfterMs),
    );
    const outcome: StoredEscalation = {
      since,
      pending: failed.map(({ name }) => name),
      attempts: known.attempts + 1,
      dueAt: Date.now() + delayMs,
    };
    await put(outcome, version + 1);
  };

  const scan = async (): Promise<void> => {
    const list = (group: string) => store.list(DOCUMENT_KIND.conversation, { group, limit: MAX_OPEN });
    const open = [...(await list('waiting')), ...(await list('active'))].map(recordOf);
    const stored = new Map(
      (await store.list(kind, { limit: MAX_OPEN })).map(({ id, value }) => [id, value as StoredEscalation]),
    );
    const isDone = (id: string, since: number): boolean => {
      const known = stored.get(id);
      return known?.since === since && (known.pending.length === 0 || known.dueAt > Date.now());
    };
    const due = open.filter((record) => {
      const since = overdueSince(record);
      return since !== null && !isDone(record.id, since);
    });
    for (let from = 0; from < due.length && timer; from += AT_ONCE) {
      await Promise.all(due.slice(from, from + AT_ONCE).map(({ id }) => escalate(id)));
    }
    const openIds = new Set(open.map(({ id }) => id));
    const left = [...stored.keys()].filter((id) => !openIds.has(id));
    if (left.length > 0) await store.write({ remove: left.map((id) => ({ kind, id })) });
  };

  const run = (): void => {
    running ??= scan()
      .catch((err: unknown) => log.warn({ err }, 'the desk could not look for conversations that wait'))
      .finally(() => {
        running = null;
      });
  };

  return {
    start() {
      clearInterval(timer);
      timer = setInterval(run, Math.min(Math.max(afterMs / 4, MIN_SCAN_MS), MAX_SCAN_MS)).unref();
      run();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}
