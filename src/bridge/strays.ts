import type { Conversation } from '../handoff/index.js';
import type { CloseReason, OpenedConversation } from './adapter.js';
import type { BridgeParts } from './parts.js';
import { REMEMBER_MS } from './parts.js';
import { linkOf, refOf, sessionKey, sessionOf } from './session.js';

/**
 * Knows of conversations that may be open in the system without anybody having them: an `open` was begun, and
 * its end is not known, or came when the user had been told no.
 */
export interface Strays {
  /** An open is about to begin. `false` when one was begun before whose end is not known. */
  begin(conversation: Conversation): Promise<boolean>;
  /** Nothing is open for it that nobody has. */
  settle(conversation: Conversation): Promise<void>;
  /** Whether something may be open for it. */
  mayExist(conversation: Conversation): Promise<boolean>;
  /** Closes what opened too late. Never rejects: what fails now is found later. */
  close(conversation: Conversation, opened: OpenedConversation): Promise<void>;
  /** Looks for what may be open, and closes it. Tells whether there was something. */
  findAndClose(conversation: Conversation, reason?: CloseReason): Promise<boolean>;
}

const TOO_LATE: CloseReason = {
  by: 'kit',
  text: 'The conversation was over before it was open here: opening it took too long.',
};

/** Makes {@link Strays}. */
export function createStrays({ adapter, lifecycle, calls, retry, counters, log }: BridgeParts): Strays {
  const noteOf = (conversation: Conversation): string =>
    `bridge opening ${adapter.name} ${sessionKey(conversation)}`;
  const settle = (conversation: Conversation): Promise<void> =>
    lifecycle.store.removeIdempotencyKey(noteOf(conversation));

  const end = async (
    conversation: Conversation,
    opened: OpenedConversation,
    reason: CloseReason,
  ): Promise<void> => {
    const ref = refOf(conversation, linkOf(adapter.name, opened));
    await retry(() => calls.run('close', (call) => adapter.close(ref, reason, call)));
    await settle(conversation);
    counters.count('strays');
    log.info({ conversationId: conversation.id }, 'closed what nobody was in any more');
  };

  return {
    begin: (conversation) => lifecycle.store.addIdempotencyKey(noteOf(conversation), REMEMBER_MS),
    settle,
    mayExist: (conversation) => lifecycle.store.hasIdempotencyKey(noteOf(conversation)),
    async close(conversation, opened) {
      try {
        await end(conversation, opened, TOO_LATE);
      } catch (error) {
        log.warn(
          { conversationId: conversation.id, err: error },
          'what opened too late could not be closed yet',
        );
      }
    },
    async findAndClose(conversation, reason = TOO_LATE) {
      const found = await retry(() =>
        calls.run('find', (call) => adapter.find(sessionOf(conversation), call)),
      );
      if (found) await end(conversation, found, reason);
      return found !== null;
    },
  };
}
