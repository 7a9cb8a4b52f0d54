import type { Conversation } from '../handoff/index.js';
import type { CloseReason, OpenedConversation } from './adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from './bridge-context.js';
import { sessionKey, toLink, toRef, toSession } from './conversation.js';

/**
 * Tracks orphans: conversations in the helpdesk that no user is in. They arise when the response to `open` is lost,
 * or arrives after the user was refused.
 *
 *     recordOpening ──> open succeeds, conversation linked ──> clearOpening
 *          │
 *          ├──> open succeeds too late ──> closeLate ──> clearOpening
 *          └──> process died, response lost ──> reconcile loop: findAndClose
 */
export interface Orphans {
  /** Records that `open` is about to be called. `false` if an earlier attempt recorded it already. */
  recordOpening(conversation: Conversation): Promise<boolean>;
  /** Removes that record: no orphan can exist. */
  clearOpening(conversation: Conversation): Promise<void>;
  /** Whether the record exists. */
  mayExist(conversation: Conversation): Promise<boolean>;
  /** Closes a conversation that opened too late. Never rejects; the reconcile loop retries. */
  closeLate(conversation: Conversation, opened: OpenedConversation): Promise<void>;
  /** Looks for an orphan and closes it. Returns whether there was one. */
  findAndClose(conversation: Conversation, reason?: CloseReason): Promise<boolean>;
}

const OPENED_TOO_LATE: CloseReason = {
  by: 'kit',
  text: 'The conversation ended before it was open here: opening it took too long.',
};

/** Creates {@link Orphans}. */
export function createOrphans({ adapter, lifecycle, calls, retry, counters, log }: BridgeContext): Orphans {
  const openingKey = (conversation: Conversation): string =>
    `bridge opening ${adapter.name} ${sessionKey(conversation)}`;
  const clearOpening = (conversation: Conversation): Promise<void> =>
    lifecycle.store.removeIdempotencyKey(openingKey(conversation));

  const close = async (
    conversation: Conversation,
    opened: OpenedConversation,
    reason: CloseReason,
  ): Promise<void> => {
    const ref = toRef(conversation, toLink(adapter.name, opened));
    await retry(() => calls.run('close', (call) => adapter.close(ref, reason, call)));
    await clearOpening(conversation);
    counters.count('orphans');
    log.info({ conversationId: conversation.id }, 'orphaned conversation closed in the helpdesk');
  };

  return {
    recordOpening: (conversation) => lifecycle.store.addIdempotencyKey(openingKey(conversation), KEY_TTL_MS),
    clearOpening,
    mayExist: (conversation) => lifecycle.store.hasIdempotencyKey(openingKey(conversation)),
    async closeLate(conversation, opened) {
      try {
        await close(conversation, opened, OPENED_TOO_LATE);
      } catch (error) {
        const details = { conversationId: conversation.id, err: error };
        log.warn(details, 'orphaned conversation not closed yet; the reconcile loop retries');
      }
    },
    async findAndClose(conversation, reason = OPENED_TOO_LATE) {
      const found = await retry(() =>
        calls.run('find', (call) => adapter.find(toSession(conversation), call)),
      );
      if (found) await close(conversation, found, reason);
      return found !== null;
    },
  };
}
