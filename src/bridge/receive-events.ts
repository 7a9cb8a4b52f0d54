import type { Receipt } from '../events/index.js';
import type { Conversation } from '../handoff/index.js';
import { createKeyedQueue } from '../internal/index.js';
import { ValidationError } from '../protocol/index.js';
import type { InboundEvent } from './inbound.js';
import type { InboundEffects } from './inbound-effects.js';
import type { Openings } from './open-conversation.js';
import type { BridgeParts } from './parts.js';
import { REMEMBER_MS } from './parts.js';

/** Takes what happened in the system to the users. One path for webhooks, polls and streams. */
export interface ReceiveEvents {
  /**
   * Resolves when all of it is safe, to the receipt of what went on to the user for each event, or `null`.
   * Rejects when something is not, and may then be told again.
   */
  receive(events: readonly InboundEvent[]): Promise<(Receipt | null)[]>;
  idle(): Promise<void>;
}

/** An agent can be quicker than the answer to our `open`. */
const WAIT_FOR_OPEN_MS = 2_000;

/** Shorter than replies are remembered where they are stored: a reply that is forgotten would be sent again. */
const RECEIPT_MS = 86_400_000;

/** Receipts kept for those who tell an event again. */
const MOST_RECEIPTS = 1_000;

/** Makes {@link ReceiveEvents}. */
export function createReceiveEvents(
  parts: BridgeParts,
  openings: Openings,
  effects: InboundEffects,
): ReceiveEvents {
  const { adapter, lifecycle, counters, log } = parts;
  const lanes = createKeyedQueue();
  const receipts = new Map<string, Receipt>();
  // Only a stream asks for receipts, and only what is stored has one after a restart.
  const givesReceipts = parts.isStored && adapter.capabilities.inbound.includes('stream');
  const receiptNote = ({ id }: InboundEvent): string => `bridge receipt ${adapter.name} ${id}`;

  const drop = (event: InboundEvent, why: string, level: 'debug' | 'warn' = 'debug'): null => {
    counters.count('dropped');
    log[level]({ eventId: event.id, externalId: event.externalId, why }, 'an event had no effect');
    return null;
  };

  const keep = (event: InboundEvent, receipt: Receipt): Receipt => {
    receipts.set(event.id, receipt);
    // What was parked may have been let go on since: who tells of it again looks where it is stored.
    receipt.delivered().catch(() => receipts.delete(event.id));
    for (const [oldest] of receipts) {
      if (receipts.size <= MOST_RECEIPTS) break;
      receipts.delete(oldest);
    }
    return receipt;
  };

  const find = async (externalId: string): Promise<Conversation | null> => {
    const known = await lifecycle.store.findByLink(adapter.name, externalId);
    if (known) return known;
    log.debug({ externalId }, 'an event came for a conversation that is not known yet');
    await openings.settled(WAIT_FOR_OPEN_MS);
    return lifecycle.store.findByLink(adapter.name, externalId);
  };

  const act = async (event: InboundEvent, conversation: Conversation): Promise<Receipt | null> => {
    try {
      const effect = await effects.take(event, conversation);
      if (!('dropped' in effect)) return keep(event, effect);
      return drop(event, effect.dropped, effect.warn ? 'warn' : 'debug');
    } catch (error) {
      if (!isHopeless(error)) throw error;
      const about = { eventId: event.id, conversationId: conversation.id, err: error };
      log.error(about, 'an event could not be brought to the user, and is not tried again');
      return null;
    }
  };

  const storedReceipt = async (event: InboundEvent, conversation: Conversation): Promise<Receipt | null> => {
    if (!givesReceipts || !(await lifecycle.store.hasIdempotencyKey(receiptNote(event)))) return null;
    return effects.receiptOf(event, conversation);
  };

  const receiveOne = async (event: InboundEvent): Promise<Receipt | null> => {
    const conversation = await find(event.externalId);
    if (!conversation) return drop(event, 'nobody was handed over in this conversation');
    const note = `bridge in ${adapter.name} ${event.id}`;
    if (await lifecycle.store.hasIdempotencyKey(note)) {
      drop(event, 'it came before');
      return receipts.get(event.id) ?? storedReceipt(event, conversation);
    }
    const receipt = await act(event, conversation);
    if (receipt && givesReceipts) await lifecycle.store.addIdempotencyKey(receiptNote(event), RECEIPT_MS);
    // Noted last: an end of the process before this brings it again, and `once` keeps it from being said twice.
    await lifecycle.store.addIdempotencyKey(note, REMEMBER_MS);
    return receipt;
  };

  /** What comes after one that failed must not overtake it. */
  const receiveInOrder = async (
    events: readonly InboundEvent[],
  ): Promise<[InboundEvent, Receipt | null][]> => {
    const outcomes: [InboundEvent, Receipt | null][] = [];
    for (const event of events) outcomes.push([event, await receiveOne(event)]);
    return outcomes;
  };

  return {
    async receive(events) {
      const groups = [...byConversation(events)].map(([externalId, its]) =>
        lanes.run(externalId, () => receiveInOrder(its)),
      );
      // All of them end before anybody is told of a failure: what is told again must not meet itself.
      await Promise.allSettled(groups);
      const outcomes = new Map((await Promise.all(groups)).flat());
      return events.map((event) => outcomes.get(event) ?? null);
    },
    idle: () => lanes.idle(),
  };
}

function byConversation(events: readonly InboundEvent[]): Map<string, InboundEvent[]> {
  const groups = new Map<string, InboundEvent[]>();
  for (const event of events) {
    const group = groups.get(event.externalId);
    if (group) group.push(event);
    else groups.set(event.externalId, [event]);
  }
  return groups;
}

/** What the service will never take: to be told of it again would not help. */
function isHopeless(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  if (!(error instanceof Error) || !('retryable' in error)) return false;
  return error.retryable === false && 'outcome' in error && error.outcome !== 'unknown';
}
