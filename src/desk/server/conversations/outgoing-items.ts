import type { ConversationEvent, DeliveryState } from '../../api.js';
import { DOCUMENT_KIND, type DocumentStore, type DocumentWrite } from '../store/index.js';
import type { ConversationRecord, RecordChange } from './conversation-records.js';

/** A reply or close of an agent on its way to the user. */
export interface OutgoingItem {
  readonly kind: 'message' | 'closed';
  /** Chosen by the page, which uses the same id when it repeats a request. */
  readonly messageId: string;
  readonly deskId: string;
  readonly agent: string;
  readonly name: string;
  /** Emptied once the reply was sent. */
  readonly text: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  /** A stable code for the reason. */
  readonly code: string | null;
  /** Makes each attempt a separate reply for the delivery, which de-duplicates by it. */
  readonly attempt: number;
  /** The id of its job in the outbox, once it is stored. */
  readonly jobId?: string;
}

/** The fields of an {@link OutgoingItem} that change. */
export type OutgoingItemChange = Partial<
  Pick<OutgoingItem, 'state' | 'reason' | 'code' | 'attempt' | 'text' | 'jobId'>
>;

/** An {@link OutgoingItem} with the version of its document. */
export interface StoredOutgoingItem {
  readonly version: number;
  readonly item: OutgoingItem;
}

/** The groups of outgoing items: `open` until the outcome is known. */
export const OUTGOING_GROUP = { open: 'open', failed: 'failed', done: 'done' } as const;

/** The `messageId` of a close; no message has an empty id. */
export const CLOSE_MESSAGE_ID = '';

const GROUP_OF_STATE: Readonly<Record<DeliveryState, string>> = {
  storing: OUTGOING_GROUP.open,
  stored: OUTGOING_GROUP.open,
  sent: OUTGOING_GROUP.done,
  failed: OUTGOING_GROUP.failed,
};

/** The document id of an outgoing item. */
export const outgoingId = (deskId: string, messageId: string): string => JSON.stringify([deskId, messageId]);

export async function readOutgoing(store: DocumentStore, id: string): Promise<StoredOutgoingItem | null> {
  const document = await store.get(DOCUMENT_KIND.outgoing, id);
  return document ? { version: document.version, item: document.value as OutgoingItem } : null;
}

/** The write of an outgoing item. */
export function putOutgoing(record: ConversationRecord, item: OutgoingItem, version: number): DocumentWrite {
  const { deskId, messageId, state } = item;
  return {
    kind: DOCUMENT_KIND.outgoing,
    id: outgoingId(deskId, messageId),
    value: item,
    version,
    group: GROUP_OF_STATE[state],
    conversationId: record.conversationId,
  };
}

/** The change of an outgoing item, with the event that shows its delivery state on the page. */
export function changeOutgoing(
  record: ConversationRecord,
  found: StoredOutgoingItem,
  change: OutgoingItemChange,
): RecordChange {
  const item: OutgoingItem = { ...found.item, ...change };
  const { kind, messageId, state, reason, code } = item;
  const events: readonly ConversationEvent[] = [{ type: 'delivery', messageId, state, reason, code }];
  // Counts from the reply that the customer received, not from when the agent wrote it.
  const isFirstReply = kind === 'message' && state === 'sent' && record.firstReplyAt === null;
  return {
    record: isFirstReply ? { ...record, firstReplyAt: Date.now() } : record,
    events: kind === 'message' ? events : [],
    put: [putOutgoing(record, item, found.version)],
  };
}
