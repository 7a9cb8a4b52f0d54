import type { DocPut, Shelf } from '../../../delivery/index.js';
import type { DeliveryState, Happening } from '../api.js';
import type { Decision } from './change-record.js';
import { type DeskRecord, KIND } from './record.js';

/** What an agent did that the user is to hear of. */
export interface Outgoing {
  readonly kind: 'message' | 'closed';
  /** Made by the page; the same when the page sends it again. */
  readonly messageId: string;
  readonly deskId: string;
  readonly agent: string;
  readonly name: string;
  /** Empty once it was sent. */
  readonly text: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  /** What the reason is known by. Not there in what an older version wrote. */
  readonly code?: string | null;
  /** How often it was made anew for the delivery: each is a reply of its own there. */
  readonly tries: number;
}

/** What may change of an {@link Outgoing}. */
export type OutgoingChange = Partial<Pick<Outgoing, 'state' | 'reason' | 'code' | 'tries' | 'text'>>;

/** Those of which the end is not known. */
export const OPEN_GROUP = 'open';
/** Those that went wrong. */
export const FAILED_GROUP = 'failed';
/** Those that were sent. */
export const DONE_GROUP = 'done';
/** What stands for the end of a conversation: an id that no message has. */
export const CLOSED_ID = '';

const GROUP: Readonly<Record<DeliveryState, string>> = {
  storing: OPEN_GROUP,
  stored: OPEN_GROUP,
  sent: DONE_GROUP,
  failed: FAILED_GROUP,
};

/** The name of a document of something outgoing. */
export const outgoingId = (deskId: string, messageId: string): string => JSON.stringify([deskId, messageId]);

/** Something outgoing, read from the shelf. */
export async function readOutgoing(shelf: Shelf, id: string) {
  const doc = await shelf.get(KIND.outgoing, id);
  return doc ? { version: doc.version, outgoing: doc.value as Outgoing } : null;
}

/** Something outgoing as it is written. */
export function putOutgoing(record: DeskRecord, value: Outgoing, version: number): DocPut {
  const { deskId, messageId, state } = value;
  return {
    kind: KIND.outgoing,
    id: outgoingId(deskId, messageId),
    value,
    version,
    group: GROUP[state],
    conversationId: record.conversationId,
  };
}

/** What a change of something outgoing writes: the thing itself, and that it happened. */
export function outgoingDecision(
  record: DeskRecord,
  found: { readonly version: number; readonly outgoing: Outgoing },
  change: OutgoingChange,
): Decision {
  const value: Outgoing = { ...found.outgoing, ...change };
  const { kind, messageId, state, reason, code = null } = value;
  const told: readonly Happening[] = [{ type: 'delivery', messageId, state, reason, code }];
  return {
    record,
    happenings: kind === 'message' ? told : [],
    put: [putOutgoing(record, value, found.version)],
  };
}
