import type { EmitEvents, InboundEvent } from '../../../bridge/index.js';
import { isStillStored, type Receipt } from '../../../events/index.js';
import { createKeyedQueue, HandoffKitError, type Log } from '../../../internal/index.js';
import type { DeliveryState } from '../../api.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import type { ConversationRecords } from './conversation-records.js';
import {
  changeOutgoing,
  OUTGOING_GROUP,
  type OutgoingItem,
  type OutgoingItemChange,
  outgoingId,
  readOutgoing,
} from './outgoing-items.js';

/**
 * Passes replies and closes of agents to the bridge and records their delivery state:
 *
 *     storing ──▶ stored ──▶ sent
 *        ▲ │         │
 *        │ └─────────┴─────▶ failed
 *        └──── retry ──────────┘
 */
export interface OutgoingSender {
  /** Sends an item that was stored. Never rejects: the journal shows the outcome. */
  send(deskId: string, messageId: string): Promise<void>;
  /** Tracks a failed item again after the delivery retries its dead letter. */
  resume(deskId: string, messageId: string): Promise<void>;
  /** Starts sending, first the items left over by this or another process. */
  start(emit: EmitEvents): Promise<void>;
  /** Stops sending. Resolves when items in flight are done. */
  stop(): Promise<void>;
}

/** How often to look for items of a process that ended. */
const ORPHAN_SCAN_MS = 5_000;
/** The process that stored an item sends it at once; an older one is an orphan. */
const ORPHAN_AGE_MS = 3_000;
/** Orphans handled per scan. */
const MAX_ORPHANS = 10_000;

const NOT_TAKEN = {
  state: 'failed',
  code: 'NOT_TAKEN',
  reason: 'It did not go out: the conversation had ended, or the platform refused it.',
} as const;

/** The states that may precede a state, so that the slower of two processes cannot revert it. */
const PREDECESSORS: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  storing: ['failed'],
  stored: ['storing'],
  sent: ['storing', 'stored'],
  failed: ['storing', 'stored'],
};

type Outcome = OutgoingItemChange & Pick<OutgoingItem, 'state'>;

export function createOutgoingSender(
  store: DocumentStore,
  records: ConversationRecords,
  log: Log,
): OutgoingSender {
  const queues = createKeyedQueue();
  /** Ids of events whose receipt this process is waiting for. */
  const followed = new Set<string>();
  let emit: EmitEvents | null = null;
  let started: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const setState = async ({ deskId, messageId, attempt }: OutgoingItem, outcome: Outcome): Promise<void> => {
    const id = outgoingId(deskId, messageId);
    await records.change(deskId, async (record) => {
      const found = await readOutgoing(store, id);
      if (found?.item.attempt !== attempt) return null;
      if (!PREDECESSORS[outcome.state].includes(found.item.state)) return null;
      return changeOutgoing(record, found, outcome);
    });
  };

  const follow = async (item: OutgoingItem, receipt: Receipt): Promise<void> => {
    const { jobId } = receipt;
    await setState(item, { state: 'stored', ...(jobId !== undefined && { jobId }) });
    const { id } = eventOf(item);
    followed.add(id);
    // Not awaited: the platform may be down for hours.
    void receipt
      .delivered()
      .then(
        () => setState(item, { state: 'sent', text: '' }),
        (error: unknown) => (isStillStored(error) ? undefined : setState(item, failureOf(error))),
      )
      .catch((err: unknown) => log.error({ err }, 'the delivery state of a reply could not be stored'))
      .finally(() => followed.delete(id));
  };

  /** The bridge had nothing to send. For a close that is success: the conversation had ended before. */
  const onNothingSent = (item: OutgoingItem): Promise<void> =>
    setState(item, item.kind === 'closed' ? { state: 'sent' } : NOT_TAKEN);

  const onRejected = async (item: OutgoingItem, error: unknown): Promise<void> => {
    log.warn(
      { err: error, conversation: item.deskId },
      'a reply or close of an agent could not be handed over',
    );
    // Agents do not look at closed conversations again, so a close is retried until it succeeds.
    if (item.kind === 'message') await setState(item, failureOf(error));
  };

  const sendNow = async (id: string): Promise<void> => {
    const target = emit;
    const item = target && (await readOutgoing(store, id))?.item;
    if (!target || !item || !isOpen(item)) return;
    const event = eventOf(item);
    if (followed.has(event.id)) return;
    let receipt: Receipt | null;
    try {
      receipt = await target(event);
    } catch (error) {
      return onRejected(item, error);
    }
    await (receipt ? follow(item, receipt) : onNothingSent(item));
  };

  /** Items of one conversation are sent one after another. */
  const enqueue = (deskId: string, id: string): Promise<void> =>
    queues
      .run(deskId, () => sendNow(id))
      .catch((err: unknown) => log.error({ err }, 'sending failed, and is tried again with the next scan'));

  const sendOrphans = async (minAgeMs: number): Promise<void> => {
    const open = await store.list(DOCUMENT_KIND.outgoing, { group: OUTGOING_GROUP.open, limit: MAX_ORPHANS });
    const before = Date.now() - minAgeMs;
    for (const { id, value, changedAt } of open.toReversed()) {
      const item = value as OutgoingItem;
      const isOrphan = changedAt.getTime() <= before && !followed.has(eventOf(item).id);
      if (isOrphan) void enqueue(item.deskId, id);
    }
  };

  const scan = (): void => {
    if (queues.pending > 0) return;
    sendOrphans(ORPHAN_AGE_MS).catch((err: unknown) =>
      log.error({ err }, 'the desk could not read its store'),
    );
  };

  const send: OutgoingSender['send'] = async (deskId, messageId) => {
    // Left-over items were written earlier, so they go first.
    await started.catch(() => undefined);
    await enqueue(deskId, outgoingId(deskId, messageId));
  };

  return {
    send,
    async resume(deskId, messageId) {
      const found = await readOutgoing(store, outgoingId(deskId, messageId));
      if (!found) return;
      await setState(found.item, { state: 'storing', reason: null, code: null });
      await send(deskId, messageId);
    },
    start(target) {
      emit = target;
      clearInterval(timer);
      timer = setInterval(scan, ORPHAN_SCAN_MS).unref();
      started = sendOrphans(0);
      return started;
    },
    async stop() {
      emit = null;
      clearInterval(timer);
      await queues.idle();
    },
  };
}

const isOpen = ({ state }: OutgoingItem): boolean => state === 'storing' || state === 'stored';

function eventOf({ kind, messageId, deskId, name, text, attempt }: OutgoingItem): InboundEvent {
  const common = {
    id: `${outgoingId(deskId, messageId)} ${attempt}`,
    externalId: deskId,
    author: { kind: 'agent', name },
  } as const;
  if (kind === 'closed') return { ...common, kind };
  return { ...common, kind, text, internal: false, messageId: null };
}

/** Messages of {@link HandoffKitError} are meant for operators and contain neither secrets nor message texts. */
function failureOf(error: unknown): Outcome {
  const { code, message: reason } =
    error instanceof HandoffKitError ? error : { code: 'FAILED', message: 'It could not be sent.' };
  return { state: 'failed', code, reason };
}
