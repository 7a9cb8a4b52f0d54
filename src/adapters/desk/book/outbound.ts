import type { EmitEvents, InboundEvent } from '../../../bridge/index.js';
import type { Shelf } from '../../../delivery/index.js';
import type { Receipt } from '../../../events/index.js';
import { createKeyedQueue, HandoffKitError, type Log } from '../../../internal/index.js';
import type { DeliveryState } from '../api.js';
import type { Records } from './change-record.js';
import {
  OPEN_GROUP,
  type Outgoing,
  type OutgoingChange,
  outgoingDecision,
  outgoingId,
  readOutgoing,
} from './outgoing.js';
import { KIND } from './record.js';

/** Carries what agents did to the bridge, and notes what became of it. */
export interface Outbound {
  /** Carries one that was written down. Never rejects: what becomes of it is in the journal. */
  carry(deskId: string, messageId: string): Promise<void>;
  /** What went wrong with one goes on by itself: notes that, and follows it. */
  revive(deskId: string, messageId: string): Promise<void>;
  /** From now on things are carried, those first that were left over, here or by a process that is gone. */
  start(emit: EmitEvents): Promise<void>;
  /** Carries nothing more. Resolves when what was under way has ended. */
  stop(): Promise<void>;
}

/** How often to look for what a process that is gone left behind. */
const LOOK_EVERY_MS = 5_000;
/** Who wrote it carries it at once; what is older than this was left behind. */
const LEFT_AFTER_MS = 3_000;
/** Left-over things looked at in one go. */
const MOST_LEFT = 10_000;

const NOT_TAKEN = {
  state: 'failed',
  code: 'NOT_TAKEN',
  reason: 'It did not go out: the conversation had ended, or the service refused it.',
} as const;

/** What a state may follow: of two who note what became of it, the later must not turn it back. */
const AFTER: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  storing: ['failed'],
  stored: ['storing'],
  sent: ['storing', 'stored'],
  failed: ['storing', 'stored'],
};

/** Makes an {@link Outbound}. */
export function createOutbound(shelf: Shelf, records: Records, log: Log): Outbound {
  const lanes = createKeyedQueue();
  const followed = new Set<string>();
  let emit: EmitEvents | null = null;
  let started: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const settle = async (
    { deskId, messageId, tries }: Outgoing,
    to: OutgoingChange & Pick<Outgoing, 'state'>,
  ) => {
    const id = outgoingId(deskId, messageId);
    await records.change(deskId, async (record) => {
      const found = await readOutgoing(shelf, id);
      if (found?.outgoing.tries !== tries || !AFTER[to.state].includes(found.outgoing.state)) return null;
      return outgoingDecision(record, found, to);
    });
  };

  const follow = async (outgoing: Outgoing, receipt: Receipt): Promise<void> => {
    await settle(outgoing, { state: 'stored' });
    const name = eventOf(outgoing).id;
    followed.add(name);
    // Nobody waits here: the service may be away for hours.
    void receipt.delivered
      .then(
        () => settle(outgoing, { state: 'sent', text: '' }),
        (error: unknown) => settle(outgoing, failure(error)),
      )
      .catch((err: unknown) => log.error({ err }, 'what became of a reply could not be noted'))
      .finally(() => followed.delete(name));
  };

  /** Nothing went out. For an end that is as good: there was nothing left to end. */
  const settleUnsent = (outgoing: Outgoing): Promise<void> =>
    settle(outgoing, outgoing.kind === 'closed' ? { state: 'sent' } : NOT_TAKEN);

  const onRefused = async (outgoing: Outgoing, error: unknown): Promise<void> => {
    const conversation = outgoing.deskId;
    log.warn({ err: error, conversation }, 'what an agent did could not be brought to the user');
    // Nobody looks at an ended conversation for what failed, so an end is tried until it succeeds.
    if (outgoing.kind === 'message') await settle(outgoing, failure(error));
  };

  const carryOne = async (id: string): Promise<void> => {
    const take = emit;
    const outgoing = take && (await readOutgoing(shelf, id))?.outgoing;
    if (!take || !outgoing || !isOpen(outgoing)) return;
    const event = eventOf(outgoing);
    if (followed.has(event.id)) return;
    let receipt: Receipt | null;
    try {
      receipt = await take(event);
    } catch (error) {
      return onRefused(outgoing, error);
    }
    await (receipt ? follow(outgoing, receipt) : settleUnsent(outgoing));
  };

  /** One conversation's things go one after another. */
  const queue = (deskId: string, id: string): Promise<void> =>
    lanes
      .run(deskId, () => carryOne(id))
      .catch((err: unknown) => log.error({ err }, 'what an agent did is left for later'));

  const carryLeft = async (olderThanMs: number): Promise<void> => {
    const left = await shelf.list(KIND.outgoing, { group: OPEN_GROUP, limit: MOST_LEFT });
    const before = Date.now() - olderThanMs;
    for (const { id, value, changedAt } of left.toReversed()) {
      const outgoing = value as Outgoing;
      const isLeft = changedAt.getTime() <= before && !followed.has(eventOf(outgoing).id);
      if (isLeft) void queue(outgoing.deskId, id);
    }
  };

  const look = (): void => {
    if (lanes.pending > 0) return;
    carryLeft(LEFT_AFTER_MS).catch((err: unknown) => log.error({ err }, 'the shelf could not be read'));
  };

  const carry: Outbound['carry'] = async (deskId, messageId) => {
    // What was left over goes first: it was said first.
    await started.catch(() => undefined);
    await queue(deskId, outgoingId(deskId, messageId));
  };

  return {
    carry,
    async revive(deskId, messageId) {
      const found = await readOutgoing(shelf, outgoingId(deskId, messageId));
      if (!found) return;
      await settle(found.outgoing, { state: 'storing', reason: null, code: null });
      await carry(deskId, messageId);
    },
    start(to) {
      emit = to;
      clearInterval(timer);
      timer = setInterval(look, LOOK_EVERY_MS).unref();
      started = carryLeft(0);
      return started;
    },
    async stop() {
      emit = null;
      clearInterval(timer);
      await lanes.idle();
    },
  };
}

const isOpen = ({ state }: Outgoing): boolean => state === 'storing' || state === 'stored';

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
function failure(error: unknown): OutgoingChange & Pick<Outgoing, 'state'> {
  const { code, message: reason } =
    error instanceof HandoffKitError ? error : { code: 'FAILED', message: 'It could not be sent.' };
  return { state: 'failed', code, reason };
}
