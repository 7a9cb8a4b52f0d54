import type { Receipt } from '../events/index.js';
import { type Conversation, isOpen } from '../handoff/index.js';
import { createKeyedQueue } from '../internal/index.js';
import { ValidationError } from '../protocol/index.js';
import type { InboundClose, InboundEvent, InboundJoin, InboundMessage } from './adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from './bridge-context.js';
import type { HelpdeskCloser } from './close-conversation.js';
import type { EchoDetector } from './echo-detection.js';
import type { FindConversation } from './find-conversation.js';
import { textWithAttachments } from './text.js';

/** Takes events of the helpdesk to the users: one path for webhooks, polls and streams. */
export interface EventReceiver {
  /**
   * Resolves when all events are safe, to the receipt of the reply or close for each event, or `null`. Rejects when
   * one could not be stored; all of them may then be passed again.
   */
  receive(events: readonly InboundEvent[]): Promise<(Receipt | null)[]>;
  /** Resolves when no event is being processed. */
  idle(): Promise<void>;
}

/** Must be shorter than durable delivery keeps replies: asking for the receipt of a forgotten one would send it again. */
const RECEIPT_TTL_MS = 86_400_000;

/** Upper bound on receipts in memory. */
const MAX_RECEIPTS = 1_000;

/**
 * Creates an {@link EventReceiver}: keeps order per conversation, drops repeats, and applies each event once.
 *
 *     event ─> find conversation ─> seen before? ─ yes ─> earlier receipt
 *                                        │ no
 *                                        └─> apply (reply, end, or drop) ─> mark as seen ─> receipt
 */
export function createEventReceiver(
  bridge: BridgeContext,
  findConversation: FindConversation,
  effects: EventEffects,
): EventReceiver {
  const { adapter, lifecycle, counters, log } = bridge;
  const queue = createKeyedQueue();
  const receipts = new Map<string, Receipt>();
  // Only streams ask for receipts, and only durable delivery has them after a restart.
  const storesReceipts = bridge.isDurable && adapter.capabilities.inbound.includes('stream');
  const receiptKey = (event: InboundEvent): string => `bridge receipt ${adapter.name} ${eventKey(event)}`;

  const drop = (event: InboundEvent, why: string, level: 'debug' | 'warn' = 'debug'): null => {
    counters.count('dropped');
    log[level]({ eventId: event.id, externalId: event.externalId, why }, 'event dropped');
    return null;
  };

  const remember = (event: InboundEvent, receipt: Receipt): Receipt => {
    receipts.set(eventKey(event), receipt);
    // A dead letter may be retried by an operator: the next caller must look at the stored state.
    receipt.delivered().catch(() => receipts.delete(eventKey(event)));
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

  const apply = async (event: InboundEvent, conversation: Conversation): Promise<Receipt | null> => {
    try {
      const outcome = await effects.apply(event, conversation);
      if (!('dropped' in outcome)) return remember(event, outcome);
      return drop(event, outcome.dropped, outcome.warn ? 'warn' : 'debug');
    } catch (error) {
      if (!isPermanentFailure(error)) throw error;
      const details = { eventId: event.id, conversationId: conversation.id, err: error };
      log.error(details, 'event not delivered to the user; it is not retried');
      return null;
    }
  };

  const storedReceipt = async (event: InboundEvent, conversation: Conversation): Promise<Receipt | null> => {
    if (!storesReceipts || !(await lifecycle.store.hasIdempotencyKey(receiptKey(event)))) return null;
    return effects.receiptOf(event, conversation);
  };

  const receiveOne = async (event: InboundEvent, arrivedAt: number): Promise<Receipt | null> => {
    const found = await findConversation(event.externalId, arrivedAt);
    if (found.kind === 'foreign') return dropForeign(event, found.isCertain);
    if (found.kind === 'ended') return drop(event, 'its handoff has ended', 'warn');
    const { conversation } = found;
    const seenKey = `bridge in ${adapter.name} ${eventKey(event)}`;
    if (await lifecycle.store.hasIdempotencyKey(seenKey)) {
      drop(event, 'it is a repeat');
      return receipts.get(eventKey(event)) ?? storedReceipt(event, conversation);
    }
    const receipt = await apply(event, conversation);
    if (receipt && storesReceipts) await lifecycle.store.addIdempotencyKey(receiptKey(event), RECEIPT_TTL_MS);
    // Last: after a crash before this line the event comes again, and `once` prevents a second reply.
    await lifecycle.store.addIdempotencyKey(seenKey, KEY_TTL_MS);
    return receipt;
  };

  /** Stops at the first failure, so that later events do not overtake it. */
  const receiveInOrder = async (
    events: readonly InboundEvent[],
    arrivedAt: number,
  ): Promise<[InboundEvent, Receipt | null][]> => {
    const results: [InboundEvent, Receipt | null][] = [];
    for (const event of events) results.push([event, await receiveOne(event, arrivedAt)]);
    return results;
  };

  return {
    async receive(events) {
      const arrivedAt = Date.now();
      const groups = [...groupByConversation(events)].map(([externalId, group]) =>
        queue.run(externalId, () => receiveInOrder(group, arrivedAt)),
      );
      // Settle all groups before rejecting: events passed again must not run beside their first attempt.
      await Promise.allSettled(groups);
      const results = new Map((await Promise.all(groups)).flat());
      return events.map((event) => results.get(event) ?? null);
    },
    idle: () => queue.idle(),
  };
}

function groupByConversation(events: readonly InboundEvent[]): Map<string, InboundEvent[]> {
  const groups = new Map<string, InboundEvent[]>();
  for (const event of events) {
    const group = groups.get(event.externalId);
    if (group) group.push(event);
    else groups.set(event.externalId, [event]);
  }
  return groups;
}

/** Ids of events may be unique only within a conversation of the helpdesk. */
const eventKey = ({ externalId, id }: InboundEvent): string => JSON.stringify([externalId, id]);

/** A reply that the platform will never accept, so that a repeat of the event would not help. */
function isPermanentFailure(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  if (!(error instanceof Error) || !('retryable' in error)) return false;
  return error.retryable === false && 'outcome' in error && error.outcome !== 'unknown';
}

/** The receipt of the reply or close that an event caused, or the reason for dropping the event. */
export type EventOutcome = Receipt | { readonly dropped: string; readonly warn?: boolean };

/** Applies events of the helpdesk to the user's side of the conversation. */
export interface EventEffects {
  apply(event: InboundEvent, conversation: Conversation): Promise<EventOutcome>;
  /** The stored receipt of an event that was applied before. Sends nothing. */
  receiptOf(event: InboundEvent, conversation: Conversation): Promise<Receipt | null>;
}

const drop = (dropped: string): EventOutcome => ({ dropped });

/** Creates {@link EventEffects}. */
export function createEventEffects(
  { adapter, conversations, settings, renderMessage, counters, log }: BridgeContext,
  echoes: EchoDetector,
  closer: HelpdeskCloser,
): EventEffects {
  const onceKey = (event: InboundEvent): string => `adapter ${adapter.name} ${eventKey(event)}`;

  const onMessage = async (event: InboundMessage, { id, state }: Conversation): Promise<EventOutcome> => {
    const { author } = event;
    if (event.internal) return drop('it is internal');
    if (await echoes.isEcho(event)) return drop('it is an echo');
    if (author.kind !== 'agent') return drop(`its author is ${author.kind}`);
    const shown = textWithAttachments(event);
    if (shown.trim() === '') return drop('it has no text');
    if (!isOpen(state)) return { dropped: `the conversation is ${state}`, warn: true };
    const text = settings.addAgentName(author.name, shown);
    const receipt = await conversations.reply(id, text, { once: onceKey(event), humanAgent: author.name });
    counters.count('replied');
    return receipt;
  };

  const onJoined = async (event: InboundJoin, conversation: Conversation): Promise<EventOutcome> => {
    const { kind, name } = event.author;
    if (kind !== 'agent') return drop(`its author is ${kind}`);
    if (!isOpen(conversation.state)) return drop(`the conversation is ${conversation.state}`);
    const text = await renderMessage('agentJoined', conversation, name);
    if (text === null) return drop('messages.agentJoined is not set');
    return conversations.reply(conversation.id, text, { once: onceKey(event), by: 'kit', humanAgent: name });
  };

  const onClosed = async (event: InboundClose, conversation: Conversation): Promise<EventOutcome> => {
    if (event.author.kind === 'self') return drop('it is an echo');
    const { id, closure, state } = conversation;
    // An agent's close that did not reach the platform yet is resumed.
    const isResumed = state === 'closing' && closure?.by === 'agent';
    if (!isOpen(state) && !isResumed) return drop('the conversation has ended');
    if (adapter.capabilities.nativeClose) await closer.markClosed(conversation);
    const text = isResumed ? null : await renderMessage('closed', conversation, event.author.name);
    const once = onceKey(event);
    if (text !== null) await conversations.reply(id, text, { once: `${once} text`, by: 'kit' });
    const receipt = await conversations.end(id, { once, why: `ended in ${adapter.name}` });
    counters.count('closedByAgent');
    if (!adapter.capabilities.nativeClose) confirmClose(conversation);
    return receipt;
  };

  /** Without a closed state in the helpdesk, our `close` shows the agents that theirs took effect. */
  const confirmClose = (conversation: Conversation): void => {
    const reason = { by: 'kit', text: 'An agent has ended the conversation.' } as const;
    closer.close(conversation, reason).catch((error: unknown) => {
      const details = { conversationId: conversation.id, err: error };
      log.warn(details, 'close not shown in the helpdesk yet; the reconcile loop retries');
    });
  };

  return {
    apply(event, conversation) {
      if (event.kind === 'message') return onMessage(event, conversation);
      return event.kind === 'joined' ? onJoined(event, conversation) : onClosed(event, conversation);
    },
    async receiptOf(event, { id }) {
      // A stored reply with the same `once` key is not sent again; its receipt is returned.
      if (event.kind === 'closed') return conversations.end(id, { once: onceKey(event) });
      if (event.kind === 'joined') return null;
      const text = settings.addAgentName(event.author.name, textWithAttachments(event));
      return conversations.reply(id, text, { once: onceKey(event) });
    },
  };
}
