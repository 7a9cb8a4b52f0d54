import type { Emit, InboundEvent } from '../../../bridge/index.js';
import type { Shelf } from '../../../delivery/index.js';
import type { Receipt } from '../../../events/index.js';
import type { Log } from '../../../logging/index.js';
import type { DeliveryState } from '../api.js';
import { DeskRefusal } from '../refuse.js';
import type { Records } from './change-record.js';
import { KIND } from './record.js';

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
  /** How often an agent has asked for it to be sent: each is a reply of its own to the delivery. */
  readonly tries: number;
}

/** Those of which the end is not known. */
export const OPEN_GROUP = 'open';
/** What stands for the end of a conversation. */
export const CLOSED_ID = 'closed';

/** The name of a document of something outgoing. */
export const outgoingId = (deskId: string, messageId: string): string => JSON.stringify([deskId, messageId]);

/** Carries what agents did to the bridge, and notes what became of it. */
export interface Outbound {
  /** Carries one that was written down. Never rejects: what becomes of it is in the journal. */
  carry(deskId: string, messageId: string): Promise<void>;
  /** Tries a failed one again. */
  retry(deskId: string, messageId: string): Promise<void>;
  /** From now on things are carried, those first that were left over. */
  start(emit: Emit): Promise<void>;
  stop(): void;
}

type Change = Partial<Pick<Outgoing, 'state' | 'reason' | 'tries' | 'text'>>;

/** Makes an {@link Outbound}. */
export function createOutbound(shelf: Shelf, records: Records, log: Log): Outbound {
  let emit: Emit | null = null;

  const read = async (id: string) => {
    const doc = await shelf.get(KIND.outgoing, id);
    return doc ? { version: doc.version, outgoing: doc.value as Outgoing } : null;
  };

  /** Changes one, and tells of it. `null` from `decide` leaves it as it is. */
  const change = async (deskId: string, id: string, decide: (outgoing: Outgoing) => Change | null) => {
    await records.change(deskId, async (record) => {
      const found = await read(id);
      const more = found && decide(found.outgoing);
      if (!more) return null;
      const value: Outgoing = { ...found.outgoing, ...more };
      const { kind, messageId, state, reason } = value;
      return {
        record,
        happenings: kind === 'message' ? [{ type: 'delivery', messageId, state, reason }] : [],
        put: [
          {
            kind: KIND.outgoing,
            id,
            value,
            version: found.version,
            group: GROUP[state],
            conversationId: record.conversationId,
          },
        ],
      };
    });
  };

  const settle = (deskId: string, id: string, tries: number, to: Change) =>
    change(deskId, id, (now) => (now.tries === tries && now.state !== to.state ? to : null));

  const follow = async (id: string, { deskId, tries }: Outgoing, receipt: Receipt | null): Promise<void> => {
    const sent = () => settle(deskId, id, tries, { state: 'sent', text: '' });
    if (!receipt) return sent();
    await settle(deskId, id, tries, { state: 'stored' });
    // Nobody waits here: the service may be away for hours.
    void receipt.delivered
      .then(sent, (error: unknown) => settle(deskId, id, tries, failure(error)))
      .catch((err: unknown) => log.error({ err }, 'what became of a reply could not be noted'));
  };

  const carry = async (id: string): Promise<void> => {
    const found = emit && (await read(id));
    if (!emit || !found || found.outgoing.state === 'sent') return;
    const { deskId, tries } = found.outgoing;
    try {
      await follow(id, found.outgoing, await emit(eventOf(found.outgoing)));
    } catch (error) {
      log.warn({ err: error }, 'what an agent did could not be brought to the user');
      await settle(deskId, id, tries, failure(error));
    }
  };

  return {
    carry: (deskId, messageId) => carry(outgoingId(deskId, messageId)),
    async retry(deskId, messageId) {
      const id = outgoingId(deskId, messageId);
      const found = await read(id);
      if (found?.outgoing.state !== 'failed') throw new DeskRefusal('NOT_FAILED');
      const tries = found.outgoing.tries + 1;
      await change(deskId, id, (now) =>
        now.tries < tries ? { state: 'storing', reason: null, tries } : null,
      );
      await carry(id);
    },
    async start(to) {
      emit = to;
      const left = await shelf.list(KIND.outgoing, { group: OPEN_GROUP, limit: 10_000 });
      for (const { id } of left.toReversed()) await carry(id);
    },
    stop() {
      emit = null;
    },
  };
}

const GROUP: Readonly<Record<DeliveryState, string>> = {
  storing: OPEN_GROUP,
  stored: OPEN_GROUP,
  sent: 'done',
  failed: 'failed',
};

function eventOf({ kind, messageId, deskId, name, text, tries }: Outgoing): InboundEvent {
  const common = {
    id: `${outgoingId(deskId, messageId)} ${tries}`,
    externalId: deskId,
    author: { kind: 'agent', name },
  } as const;
  if (kind === 'closed') return { ...common, kind };
  return { ...common, kind, text, internal: false, messageId: null };
}

/** Errors of this package are written for people, and hold neither secrets nor what somebody wrote. */
function failure(error: unknown): Change {
  const known = error instanceof Error && 'code' in error;
  return { state: 'failed', reason: known ? error.message : 'It could not be sent.' };
}
