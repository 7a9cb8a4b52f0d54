import type { HandoffSession, OutgoingMessage } from '../../../bridge/index.js';
import type { DeskEnder } from '../api.js';
import type { Records } from './change-record.js';
import { type DeskRecord, lastSaid, newRecord } from './record.js';

/** What comes to the desk from the user's side. */
export interface CustomerSide {
  /** A conversation is brought to the desk. Bringing it again changes nothing. */
  open(session: HandoffSession): Promise<void>;
  /** The desk's own id of a conversation that was brought before. */
  find(session: HandoffSession): Promise<string | null>;
  /** The customer says something. The same message again changes nothing; `false` when the conversation is gone. */
  said(id: string, message: OutgoingMessage): Promise<boolean>;
  /** The other side has ended it. */
  ended(id: string, by: DeskEnder): Promise<void>;
}

/** Remembered so that a message that is brought again is shown once; more can hardly be under way at a time. */
const REMEMBERED = 50;

/** Makes {@link CustomerSide}. */
export function createCustomerSide(records: Records, isGreeted: boolean): CustomerSide {
  return {
    async open(session) {
      await records.add({ record: newRecord(session, isGreeted), happenings: [{ type: 'opened' }] });
    },
    async find({ key }) {
      return (await records.get(key)) ? key : null;
    },
    async said(id, { key, text, sentAt }) {
      const changed = await records.change(id, (record) => {
        if (record.recent.includes(key)) return null;
        return {
          record: {
            ...record,
            recent: [...record.recent, key].slice(-REMEMBERED),
            last: lastSaid('customer', text, sentAt?.getTime() ?? Date.now()),
            customerMessages: record.customerMessages + 1,
          },
          happenings: [{ type: 'message', messageId: key, from: 'customer', text }],
        };
      });
      return changed !== null;
    },
    async ended(id, by) {
      await records.change(id, (record) => endOf(record, by, null));
    },
  };
}

/** What ending a conversation writes; `null` when it has ended. */
export function endOf(record: DeskRecord, by: DeskEnder, agent: string | null) {
  if (record.state === 'closed') return null;
  return {
    record: { ...record, state: 'closed' as const, ended: { by, at: Date.now(), agent } },
    happenings: [{ type: 'closed' as const, by, agent }],
  };
}
