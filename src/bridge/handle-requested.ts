import { type Handler, Postponed } from '../events/index.js';
import { type Conversation, isOpen } from '../handoff/index.js';
import type { TellAndEnd } from './end-conversation.js';
import type { Opening, Openings } from './open-conversation.js';
import type { BridgeParts } from './parts.js';
import { sessionKey } from './session.js';

/** The user waits, so an accepted handoff is tried again soon: after so many first waits, 2 seconds by default. */
const FIRST_WAITS = 10;

/**
 * Handles an accepted handoff: makes sure that it is open, also after a restart, and greets. One that cannot be
 * opened is tried for a while; then the user is told, and it ends.
 */
export function createOnRequested(
  parts: BridgeParts,
  openings: Openings,
  tellAndEnd: TellAndEnd,
): Handler<'handoff.requested'> {
  const { lifecycle, settings, conversations, text, counters, calls } = parts;

  const greet = async (conversation: Conversation): Promise<void> => {
    const words = await text('greeting', conversation);
    if (words === null) return;
    const once = `bridge greeting ${sessionKey(conversation)}`;
    await conversations.reply(conversation.id, words, { once, by: 'kit' });
  };

  const giveUpOrPostpone = async (
    conversation: Conversation,
    receivedAt: Date,
    opening: Opening,
  ): Promise<void> => {
    const error = opening.kind === 'failed' ? opening.error : null;
    const forGood = error !== null && error.kind !== 'transient' && error.kind !== 'rate-limited';
    const why = error?.message ?? 'the system takes long to open it';
    const left = receivedAt.getTime() + settings.giveUpOpeningAfterMs - Date.now();
    if (forGood || (left <= 0 && !calls.ended)) return tellAndEnd(conversation, 'unavailable', why);
    counters.count('postponed');
    const retryAfterMs = Math.min(
      Math.max(settings.retry.firstWaitMs * FIRST_WAITS, error?.retryAfterMs ?? 0),
      Math.max(left, 1),
    );
    throw new Postponed(why, { retryAfterMs, cause: error });
  };

  return async ({ conversationId, receivedAt }) => {
    const conversation = await lifecycle.store.get(conversationId);
    if (!conversation || !isOpen(conversation.state)) return;
    if (settings.whenClosed === 'say' && !settings.isOpenAt(receivedAt)) {
      return tellAndEnd(conversation, 'outsideHours', 'out of hours');
    }
    const opening = await openings.ensure(conversation, settings.openWithinMs);
    if (opening.kind === 'over') return;
    if (opening.kind === 'open') return greet(opening.conversation);
    return giveUpOrPostpone(conversation, receivedAt, opening);
  };
}
