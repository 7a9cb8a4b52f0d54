import type { Receipt } from '../events/index.js';
import { type Conversation, isOpen } from '../handoff/index.js';
import type { SystemCloses } from './close-conversation.js';
import type { Echoes } from './echo.js';
import type { InboundClose, InboundEvent, InboundJoin, InboundMessage } from './inbound.js';
import type { BridgeParts } from './parts.js';

/** What an event of the system came to: a reply or close on its way to the user, or nothing, and why. */
export type Effect = Receipt | { readonly dropped: string; readonly warn?: boolean };

/** Gives events of the system their effects on the user's side. */
export interface InboundEffects {
  /** Gives an event its effect. */
  take(event: InboundEvent, conversation: Conversation): Promise<Effect>;
  /** The receipt of an effect that was taken before, where it is stored. Has no effect itself. */
  receiptOf(event: InboundEvent, conversation: Conversation): Promise<Receipt | null>;
}

const nothing = (dropped: string): Effect => ({ dropped });

/** Makes {@link InboundEffects}. */
export function createInboundEffects(
  { adapter, conversations, settings, text, counters, log }: BridgeParts,
  echoes: Echoes,
  systemCloses: SystemCloses,
): InboundEffects {
  const onceOf = (event: InboundEvent): string => `adapter ${adapter.name} ${event.id}`;

  const onMessage = async (event: InboundMessage, { id, state }: Conversation): Promise<Effect> => {
    const { author } = event;
    if (event.internal) return nothing('it is internal');
    if (await echoes.isEcho(event)) return nothing('it is an echo');
    if (author.kind !== 'agent') return nothing(`its author is ${author.kind}`);
    if (event.text.trim() === '') return nothing('it has no text');
    if (!isOpen(state)) return { dropped: `the conversation is ${state}`, warn: true };
    const words = settings.withName(author.name, event.text);
    const receipt = await conversations.reply(id, words, { once: onceOf(event), agent: author.name });
    counters.count('replied');
    return receipt;
  };

  const onJoined = async (event: InboundJoin, conversation: Conversation): Promise<Effect> => {
    const { kind, name } = event.author;
    if (kind !== 'agent') return nothing(`its author is ${kind}`);
    if (!isOpen(conversation.state)) return nothing(`the conversation is ${conversation.state}`);
    const words = await text('agentJoined', conversation, name);
    if (words === null) return nothing('nothing is said when an agent joins');
    return conversations.reply(conversation.id, words, { once: onceOf(event), by: 'kit', agent: name });
  };

  const onClosed = async (event: InboundClose, conversation: Conversation): Promise<Effect> => {
    if (event.author.kind === 'self') return nothing('it is an echo');
    const { id, closure, state } = conversation;
    // An agent's end that did not get through to the service goes on where it stopped.
    const goesOn = state === 'closing' && closure?.by === 'agent';
    if (!isOpen(state) && !goesOn) return nothing('it has ended');
    if (adapter.capabilities.nativeClose) await systemCloses.note(conversation);
    const words = goesOn ? null : await text('closed', conversation, event.author.name);
    const once = onceOf(event);
    if (words !== null) await conversations.reply(id, words, { once: `${once} words`, by: 'kit' });
    const receipt = await conversations.end(id, { once, why: `ended in ${adapter.name}` });
    counters.count('closedByAgent');
    if (!adapter.capabilities.nativeClose) showEnd(conversation);
    return receipt;
  };

  /** Where the system knows no ends of its own, agents see by our `close` that theirs took effect. */
  const showEnd = (conversation: Conversation): void => {
    systemCloses
      .close(conversation, 'kit', 'An agent has ended the conversation.')
      .catch((error: unknown) => {
        log.warn({ conversationId: conversation.id, err: error }, 'an end could not be shown yet');
      });
  };

  return {
    take(event, conversation) {
      if (event.kind === 'message') return onMessage(event, conversation);
      return event.kind === 'joined' ? onJoined(event, conversation) : onClosed(event, conversation);
    },
    async receiptOf(event, { id }) {
      // What is stored under the same `once` stays as it is, and its receipt comes back.
      if (event.kind === 'closed') return conversations.end(id, { once: onceOf(event) });
      if (event.kind === 'joined') return null;
      const words = settings.withName(event.author.name, event.text);
      return conversations.reply(id, words, { once: onceOf(event) });
    },
  };
}
