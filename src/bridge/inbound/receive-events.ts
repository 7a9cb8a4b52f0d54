import { isStillStored, type Receipt } from '../../events/index.js';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { createKeyedQueue } from '../../internal/index.js';
import { ValidationError } from '../../protocol/index.js';
import type { InboundEvent, UndeliveredReason } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import type { UndeliveredReplies } from '../outbound/undelivered.js';
import { type EventEffects, inboundKey } from './event-effects.js';
import type { ConversationFinder } from './find-conversation.js';
import type { EventOrder } from './order-events.js';

/** Takes events of the helpdesk to the users: one path for webhooks, polls and streams. */
export interface EventReceiver {
  /**
   * Resolves when all events are safe, to the receipt of the reply or close for each event, or `null`. Rejects when
   * one could not be stored; all of them may then be passed again. With `rejectsUndeliverable`, it also rejects with
   * {@link UndeliverableReply}, instead of telling the agents.
   */
  receive(
    events: readonly InboundEvent[],
    options?: { readonly rejectsUndeliverable?: boolean },
  ): Promise<(Receipt | null)[]>;
  /** Whether the helpdesk may be asked before these events are applied. Events of no or an ended handoff need nothing. */
  mayAskHelpdesk(events: readonly InboundEvent[]): Promise<boolean>;
  /** Applies what agents did in a conversation and has not arrived. Rejects when that cannot be listed. */
  catchUp(conversation: Conversation): Promise<void>;
  /** Resolves when no event is being processed. */
  idle(): Promise<void>;
}

/** A reply cannot reach the user: the conversation has ended, or the platform refuses it. */
export class UndeliverableReply extends Error {}

/** Dependencies of {@link createEventReceiver}. */
export interface EventReceiverDependencies {
  readonly finder: ConversationFinder;
  readonly order: EventOrder;
  readonly effects: EventEffects;
  readonly undelivered: UndeliveredReplies;
}

/** How an event came. */
interface Arrival {
  readonly at: number;
  readonly rejectsUndeliverable: boolean;
  /** Whether `catchUp` listed it, and no webhook, poll or stream brought it. */
  readonly isListed: boolean;
}

/** Must be shorter than stored delivery keeps replies: asking for the receipt of a forgotten one would send it again. */
const RECEIPT_TTL_MS = 86_400_000;

/** How long the webhook of a message that was listed first may still come. After that, an agent has repeated the text. */
const LATE_WEBHOOK_MS = 600_000;

/** Upper bound on receipts in memory. */
const MAX_RECEIPTS = 1_000;

/**
 * Creates an {@link EventReceiver}: keeps order per conversation, drops repeats, and applies each event once.
 *
 *     events ─> order-events ─> for each: find conversation ─> seen before? ─ yes ─> earlier receipt
 *                                                                  │ no
 *                                    receipt <─ mark as seen <─ apply (reply, end, or drop)
 *                                                                  └─ not delivered ─> undelivered
 */
export function createEventReceiver(
  bridge: BridgeContext,
  { finder, order, effects, undelivered }: EventReceiverDependencies,
): EventReceiver {
  const { adapter, lifecycle, counters, log } = bridge;
  const queue = createKeyedQueue();
  const receipts = new Map<string, Receipt>();
  // Only streams ask for receipts, and only stored delivery has them after a restart.
  const storesReceipts = bridge.isStored && adapter.capabilities.inbound.includes('stream');
  const receiptKey = (event: InboundEvent): string => `bridge receipt ${adapter.name} ${inboundKey(event)}`;
  const seenKey = (event: InboundEvent): string => `bridge in ${adapter.name} ${inboundKey(event)}`;
  const isSeen = (event: InboundEvent): Promise<boolean> => lifecycle.store.hasIdempotencyKey(seenKey(event));

  /** `null` for an event that has one id. */
  const sameKey = (event: InboundEvent, way: 'arrived' | 'listed'): string | null =>
    event.kind === 'message' && event.sameAs !== undefined
      ? `bridge ${way} ${adapter.name} ${JSON.stringify([event.externalId, event.sameAs])}`
      : null;

  /** Whether it was applied before, perhaps under the id that it has the other way. */
  const isRepeat = async (event: InboundEvent, isListed: boolean): Promise<boolean> => {
    const otherWay = sameKey(event, isListed ? 'arrived' : 'listed');
    if (otherWay !== null && (await lifecycle.store.hasIdempotencyKey(otherWay))) return true;
    return isSeen(event);
  };

  const markSeen = async (event: InboundEvent, isListed: boolean): Promise<void> => {
    const key = sameKey(event, isListed ? 'listed' : 'arrived');
    if (key !== null) await lifecycle.store.addIdempotencyKey(key, isListed ? LATE_WEBHOOK_MS : KEY_TTL_MS);
    await lifecycle.store.addIdempotencyKey(seenKey(event), KEY_TTL_MS);
  };

  /** One webhook for each listed message: an agent may repeat a text. */
  const markArrivedAfterList = async (event: InboundEvent): Promise<void> => {
    const key = sameKey(event, 'listed');
    if (key === null) return;
    await markSeen(event, false);
    await lifecycle.store.removeIdempotencyKey(key);
  };

  const drop = (event: InboundEvent, reason: string, level: 'debug' | 'warn' = 'debug'): null => {
    counters.count('dropped');
    log[level]({ eventId: event.id, externalId: event.externalId, reason }, 'event dropped');
    return null;
  };

  const remember = (event: InboundEvent, conversation: Conversation, receipt: Receipt): Receipt => {
    receipts.set(inboundKey(event), receipt);
    receipt.delivered().catch((error: unknown) => {
      if (isStillStored(error)) return;
      // A dead letter may be retried by an operator: the next caller must look at the stored state.
      receipts.delete(inboundKey(event));
      if (event.kind === 'message') undelivered.tell(event, conversation, 'failed');
    });
    for (const [oldest] of receipts) {
      if (receipts.size <= MAX_RECEIPTS) break;
      receipts.delete(oldest);
    }
    return receipt;
  };

  const dropForeign = (event: InboundEvent, isCertain: boolean): null => {
    if (isCertain) return drop(event, 'the conversation is not a handoff');
    counters.count('unmatched');
    return drop(event, 'the conversation is unknown; it may be one whose opening had no outcome', 'warn');
  };

  const failed = (
    event: InboundEvent,
    conversation: Conversation,
    kind: UndeliveredReason['kind'],
    { rejectsUndeliverable }: Arrival,
  ): void => {
    if (event.kind !== 'message') return;
    // Not marked as seen: an agent may send it again.
    if (rejectsUndeliverable) throw new UndeliverableReply();
    undelivered.tell(event, conversation, kind);
  };

  const apply = async (
    event: InboundEvent,
    conversation: Conversation,
    arrival: Arrival,
  ): Promise<Receipt | null> => {
    try {
      const outcome = await effects.apply(event, conversation);
      if (!('dropped' in outcome)) return remember(event, conversation, outcome);
      drop(event, outcome.dropped, outcome.isLate ? 'warn' : 'debug');
      if (outcome.isLate) failed(event, conversation, 'ended', arrival);
      return null;
    } catch (error) {
      if (!isPermanentFailure(error)) throw error;
      const details = { eventId: event.id, conversationId: conversation.id, err: error };
      log.error(details, 'event not delivered to the user; it is not retried');
      failed(event, conversation, 'failed', arrival);
      return null;
    }
  };

  const storedReceipt = async (event: InboundEvent, conversation: Conversation): Promise<Receipt | null> => {
    if (!storesReceipts || !(await lifecycle.store.hasIdempotencyKey(receiptKey(event)))) return null;
    return effects.receiptOf(event, conversation);
  };

  const receiveOne = async (event: InboundEvent, arrival: Arrival): Promise<Receipt | null> => {
    const found = await finder.find(event.externalId, arrival.at);
    if (found.kind === 'foreign') return dropForeign(event, found.isCertain);
    if (found.kind === 'ended') return drop(event, 'its handoff has ended', 'warn');
    const { conversation } = found;
    if (await isRepeat(event, arrival.isListed)) {
      drop(event, 'it is a repeat');
      if (!arrival.isListed) await markArrivedAfterList(event);
      return receipts.get(inboundKey(event)) ?? storedReceipt(event, conversation);
    }
    const receipt = await apply(event, conversation, arrival);
    if (receipt && storesReceipts) await lifecycle.store.addIdempotencyKey(receiptKey(event), RECEIPT_TTL_MS);
    // Last: after a crash before this line the event comes again, and `once` prevents a second reply.
    await markSeen(event, arrival.isListed);
    return receipt;
  };

  const arrange = async (
    externalId: string,
    events: readonly InboundEvent[],
    arrivedAt: number,
  ): Promise<readonly InboundEvent[]> => {
    if (!adapter.catchUp) return events;
    const found = await finder.find(externalId, arrivedAt);
    if (found.kind !== 'linked') return events;
    return order.arrange(found.conversation, events, async (event) => !(await isSeen(event)));
  };

  /** Stops at the first failure, so that later events do not overtake it. */
  const receiveInOrder = async (
    externalId: string,
    events: readonly InboundEvent[],
    arrivalOf: (event: InboundEvent) => Arrival,
  ): Promise<[InboundEvent, Receipt | null][]> => {
    const results: [InboundEvent, Receipt | null][] = [];
    for (const event of events) results.push([event, await receiveOne(event, arrivalOf(event))]);
    order.applied(externalId);
    return results;
  };

  return {
    async receive(events, { rejectsUndeliverable = false } = {}) {
      const at = Date.now();
      const arrived = new Set(events);
      const arrivalOf = (event: InboundEvent): Arrival => ({
        at,
        rejectsUndeliverable: rejectsUndeliverable && arrived.has(event),
        isListed: !arrived.has(event),
      });
      const groups = [...groupByConversation(events)].map(([externalId, group]) =>
        queue.run(externalId, async () =>
          receiveInOrder(externalId, await arrange(externalId, group, at), arrivalOf),
        ),
      );
      // Settle all groups before rejecting: events passed again must not run beside their first attempt.
      await Promise.allSettled(groups);
      const results = new Map((await Promise.all(groups)).flat());
      return events.map((event) => results.get(event) ?? null);
    },
    async mayAskHelpdesk(events) {
      for (const externalId of new Set(events.map((event) => event.externalId))) {
        const linked = await lifecycle.store.findByLink(adapter.name, externalId);
        if (linked ? isOpen(linked.state) : await finder.mayBeOpening(externalId)) return true;
      }
      return false;
    },
    async catchUp(conversation) {
      const externalId = conversation.link?.externalId;
      if (externalId === undefined) return;
      const arrival: Arrival = { at: Date.now(), rejectsUndeliverable: false, isListed: true };
      await queue.run(externalId, async () =>
        receiveInOrder(externalId, await order.list(conversation), () => arrival),
      );
    },
    idle: async () => {
      await queue.idle();
      await undelivered.idle();
    },
  };
}

/** The events of each conversation, by the helpdesk's id of it. */
export function groupByConversation(events: readonly InboundEvent[]): Map<string, InboundEvent[]> {
  const groups = new Map<string, InboundEvent[]>();
  for (const event of events) {
    const group = groups.get(event.externalId);
    if (group) group.push(event);
    else groups.set(event.externalId, [event]);
  }
  return groups;
}

/** A reply that the platform will never accept, so that a repeat of the event would not help. */
function isPermanentFailure(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  if (!(error instanceof Error) || !('retryable' in error)) return false;
  return error.retryable === false && 'outcome' in error && error.outcome !== 'unknown';
}
