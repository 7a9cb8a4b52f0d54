import type { HandoffSession, OutgoingMessage } from '../../../bridge/index.js';
import type { ClosedBy } from '../../api.js';
import { DOCUMENT_KIND, type DocumentWrite } from '../store/index.js';
import type { FindTarget } from './conversation-records.js';
import {
  type ConversationRecord,
  type ConversationRecords,
  createRecord,
  previewOf,
  type RecordChange,
  withRecent,
} from './conversation-records.js';

/** Changes that come from the customer's side, through the bridge. */
export interface CustomerActions {
  /** Adds a conversation to the desk. Idempotent. */
  open(session: HandoffSession): Promise<void>;
  /** The desk's id of a conversation that was opened before. */
  find(session: HandoffSession): Promise<string | null>;
  /** Adds a message of the customer. Idempotent; `false` when the conversation no longer exists. */
  addMessage(id: string, message: OutgoingMessage): Promise<boolean>;
  /** Marks a conversation as closed by the user, a timeout or the receiver. */
  close(id: string, by: ClosedBy): Promise<void>;
}

export function createCustomerActions(
  records: ConversationRecords,
  isGreeted: boolean,
  findTarget: FindTarget,
): CustomerActions {
  return {
    async open(session) {
      const record = createRecord(session, isGreeted, await findTarget(session));
      await records.add({ record, events: [{ type: 'opened' }], put: [historyEntryOf(record)] });
    },
    async find({ key }) {
      return (await records.get(key)) ? key : null;
    },
    async addMessage(id, { key, text, sentAt }) {
      const changed = await records.change(id, (record) => {
        if (record.recent.includes(key)) return null;
        return {
          record: {
            ...withRecent(record, key),
            last: previewOf('customer', text, sentAt?.getTime() ?? Date.now()),
            customerMessages: record.customerMessages + 1,
            snoozedUntil: null,
            unansweredSince: record.unansweredSince ?? Date.now(),
          },
          events: [{ type: 'message', messageId: key, from: 'customer', text }],
        };
      });
      return changed !== null;
    },
    async close(id, by) {
      await records.change(id, (record) => closeRecord(record, by, null));
    },
  };
}

/** Lists the conversations of a customer, by the key of the customer. */
const historyEntryOf = ({ id, conversationId, user, requestedAt }: ConversationRecord): DocumentWrite => ({
  kind: DOCUMENT_KIND.history,
  id,
  value: {},
  version: 0,
  group: user.key,
  rank: requestedAt,
  conversationId,
});

/** The change that closes a conversation; `null` when it is closed already. */
export function closeRecord(
  record: ConversationRecord,
  by: ClosedBy,
  agent: string | null,
): RecordChange | null {
  if (record.state === 'closed') return null;
  return {
    record: {
      ...record,
      state: 'closed',
      offer: null,
      snoozedUntil: null,
      ended: { by, at: Date.now(), agent },
    },
    events: [{ type: 'closed', by, agent }],
  };
}
