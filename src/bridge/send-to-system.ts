import { type Handler, Postponed } from '../events/index.js';
import { type Conversation, isOpen } from '../handoff/index.js';
import { AdapterError } from './adapter-error.js';
import type { DeliverMessage } from './deliver-message.js';
import type { TellAndEnd } from './end-conversation.js';
import { saidIn } from './join-messages.js';
import type { Openings } from './open-conversation.js';
import type { BridgeParts } from './parts.js';
import { asPostponed } from './retry-by-kind.js';

/** What {@link createOnMessage} works with besides. */
export interface SendParts {
  readonly openings: Openings;
  readonly deliver: DeliverMessage;
  readonly tellAndEnd: TellAndEnd;
}

/** Handles what a user says: brings it to the system, or puts it off, or says why it cannot be brought. */
export function createOnMessage(
  parts: BridgeParts,
  { openings, deliver, tellAndEnd }: SendParts,
): Handler<'handoff.message'> {
  const { adapter, lifecycle, settings, auth, counters, log } = parts;

  /** The conversation once it is open in the system; `null` when it has ended instead. */
  const opened = async (conversation: Conversation): Promise<Conversation | null> => {
    if (conversation.link) return conversation;
    const opening = await openings.ensure(conversation, settings.openWithinMs);
    if (opening.kind === 'open') return opening.conversation;
    if (opening.kind === 'over') return null;
    if (opening.kind === 'failed') throw opening.error;
    throw new AdapterError('transient', `${adapter.name} has not opened this conversation yet.`);
  };

  const onFailure = (conversation: Conversation, error: unknown): Promise<void> => {
    if (!(error instanceof AdapterError)) throw error;
    if (error.kind === 'gone') return tellAndEnd(conversation, 'unavailable', error.message);
    if (error.kind === 'auth') auth.refused(error);
    const thrown = asPostponed(error, settings.retry);
    if (thrown instanceof Postponed) counters.count('postponed');
    throw thrown;
  };

  return async (context) => {
    const { conversationId, sentAt } = context;
    const said = saidIn(context);
    if (said.text.trim() === '') return log.debug({ conversationId }, 'a message without text was left out');
    const conversation = await lifecycle.store.get(conversationId);
    if (!conversation || !isOpen(conversation.state)) {
      const state = conversation?.state ?? 'unknown';
      return log.warn({ conversationId, state }, 'a message came for a conversation that is not open');
    }
    try {
      const current = await opened(conversation);
      const link = current?.link;
      if (!current || !link)
        return log.warn({ conversationId }, 'a message came for a conversation that has ended');
      if (link.adapter !== adapter.name)
        return await tellAndEnd(current, 'unavailable', `it lives in ${link.adapter}`);
      await deliver(current, link, said, sentAt);
      auth.accepted();
    } catch (error) {
      await onFailure(conversation, error);
    }
  };
}
