import type { Receipt } from '../../events/index.js';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { settlesWithin } from '../../internal/index.js';
import {
  AdapterError,
  type InboundClose,
  type InboundEvent,
  type InboundJoin,
  type InboundMessage,
  type MessageAuthor,
} from '../adapter/adapter-types.js';
import { textWithAttachments } from '../adapter/text.js';
import type { BridgeContext } from '../bridge-context.js';
import type { HelpdeskCloser } from '../outbound/close-conversation.js';
import type { EchoDetector } from '../outbound/echo-detection.js';

/** Ids of events may be unique only within a conversation of the helpdesk. */
export const inboundKey = ({ externalId, id }: InboundEvent): string => JSON.stringify([externalId, id]);

/** The receipt of the reply or close that an event caused, or why it was dropped; `isLate` for a reply after the end. */
export type EventOutcome = Receipt | { readonly dropped: string; readonly isLate?: boolean };

/** Applies events of the helpdesk to the user's side of the conversation. */
export interface EventEffects {
  apply(event: InboundEvent, conversation: Conversation): Promise<EventOutcome>;
  /** The stored receipt of an event that was applied before. Sends nothing. */
  receiptOf(event: InboundEvent, conversation: Conversation): Promise<Receipt | null>;
}

/** A reply waits this long for the name of its author: helpdesks wait a few seconds for the webhook's answer. */
const NAME_WITHIN_MS = 1_500;

const drop = (dropped: string): EventOutcome => ({ dropped });

export function createEventEffects(
  { adapter, calls, conversations, settings, renderMessage, counters, log }: BridgeContext,
  echoes: EchoDetector,
  closer: HelpdeskCloser,
): EventEffects {
  const onceKey = (event: InboundEvent): string => `adapter ${adapter.name} ${inboundKey(event)}`;

  const agentName = adapter.agentName?.bind(adapter);
  /** The name of an agent. A reply does not depend on it. */
  const nameOf = async ({ name, id }: MessageAuthor): Promise<string | null> => {
    if (name !== null || id === undefined || !agentName) return name;
    const asked = calls
      .run('agentName', (call) => agentName(id, call))
      .catch((error: unknown) => {
        if (!(error instanceof AdapterError)) throw error;
        log.warn({ err: error }, 'the name of an agent could not be looked up');
        return null;
      });
    return (await settlesWithin(asked, NAME_WITHIN_MS)) ? asked : null;
  };

  const onMessage = async (event: InboundMessage, { id, state }: Conversation): Promise<EventOutcome> => {
    const { author } = event;
    if (event.internal) return drop('it is internal');
    if (await echoes.isEcho(event)) return drop('it is an echo');
    if (author.kind !== 'agent') return drop(`its author is ${author.kind}`);
    const shown = textWithAttachments(event);
    if (shown.trim() === '') return drop('it has no text');
    if (!isOpen(state)) return { dropped: `the conversation is ${state}`, isLate: true };
    const name = await nameOf(author);
    const text = settings.addAgentName(name, shown);
    const receipt = await conversations.reply(id, text, { once: onceKey(event), agentName: name });
    counters.count('replied');
    return receipt;
  };

  const onJoined = async (event: InboundJoin, conversation: Conversation): Promise<EventOutcome> => {
    const { kind } = event.author;
    if (kind !== 'agent') return drop(`its author is ${kind}`);
    if (!isOpen(conversation.state)) return drop(`the conversation is ${conversation.state}`);
    const name = await nameOf(event.author);
    const text = await renderMessage('agentJoined', conversation, name);
    if (text === null) return drop('messages.agentJoined is not set');
    return conversations.reply(conversation.id, text, {
      once: onceKey(event),
      by: 'system',
      agentName: name,
    });
  };

  const onClosed = async (event: InboundClose, conversation: Conversation): Promise<EventOutcome> => {
    if (event.author.kind === 'self') return drop('it is an echo');
    const { id, closure, state } = conversation;
    // An agent's close that did not reach the platform yet is resumed.
    const isResumed = state === 'closing' && closure?.by === 'agent';
    if (!isOpen(state) && !isResumed) return drop('the conversation has ended');
    if (adapter.capabilities.nativeClose) await closer.markClosed(conversation);
    const text = isResumed ? null : await renderMessage('closed', conversation, await nameOf(event.author));
    const once = onceKey(event);
    if (text !== null) await conversations.reply(id, text, { once: `${once} text`, by: 'system' });
    const receipt = await conversations.end(id, { once, reason: `ended in ${adapter.name}` });
    counters.count('closedByAgent');
    if (!adapter.capabilities.nativeClose) confirmClose(conversation);
    return receipt;
  };

  /** Without a closed state in the helpdesk, our `close` shows the agents that theirs took effect. */
  const confirmClose = (conversation: Conversation): void => {
    const reason = { by: 'system', text: 'An agent has ended the conversation.' } as const;
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
