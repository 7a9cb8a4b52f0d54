import { type Handler, Postponed } from '../events/index.js';
import { type Conversation, isOpen } from '../handoff/index.js';
import type { CloseReason } from './adapter.js';
import { AdapterError } from './adapter-error.js';
import type { BridgeParts } from './parts.js';
import { REMEMBER_MS } from './parts.js';
import { asPostponed } from './retry-by-kind.js';
import { refOf, sessionKey } from './session.js';
import type { Strays } from './strays.js';

const WORDS: Readonly<Record<CloseReason['by'], string>> = {
  user: 'The user has left the conversation.',
  timeout: 'The conversation ended because nobody wrote for too long.',
  kit: 'The conversation was ended automatically.',
};

/** Ends conversations in the system, and knows which of them it knows to be over. */
export interface SystemCloses {
  /** Ends a conversation there, for who is not an agent there. One that is gone or has ended is a success. */
  close(conversation: Conversation, by: CloseReason['by'], text?: string): Promise<void>;
  /** The system knows that it is over. */
  note(conversation: Conversation): Promise<void>;
  isNoted(conversation: Conversation): Promise<boolean>;
}

/** Makes {@link SystemCloses}. */
export function createSystemCloses(parts: BridgeParts): SystemCloses {
  const { adapter, calls, retry, counters, auth, lifecycle } = parts;
  const noteOf = (conversation: Conversation): string =>
    `bridge closed ${adapter.name} ${sessionKey(conversation)}`;
  const note = async (conversation: Conversation): Promise<void> => {
    await lifecycle.store.addIdempotencyKey(noteOf(conversation), REMEMBER_MS);
  };

  return {
    note,
    isNoted: (conversation) => lifecycle.store.hasIdempotencyKey(noteOf(conversation)),
    async close(conversation, by, text = WORDS[by]) {
      const { link } = conversation;
      if (link?.adapter !== adapter.name) return;
      const ref = refOf(conversation, link);
      try {
        await retry(() => calls.run('close', (call) => adapter.close(ref, { by, text }, call)));
        auth.accepted();
      } catch (error) {
        if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
        if (!(error instanceof AdapterError && error.kind === 'gone')) throw error;
      }
      await note(conversation);
      counters.count('closedInSystem');
    },
  };
}

/** Handles that the user left, or that the conversation timed out. */
export function createOnClosed(
  { lifecycle, settings, counters }: BridgeParts,
  systemCloses: SystemCloses,
  strays: Strays,
): Handler<'handoff.closed'> {
  /** One that is open was asked for anew since; this is the end of the one before, whose link is gone. */
  const closeEarlier = async (conversation: Conversation): Promise<void> => {
    const earlier = { ...conversation, session: conversation.session - 1 };
    await strays.findAndClose(earlier, { by: 'user', text: WORDS.user });
  };

  const close = async (conversation: Conversation): Promise<void> => {
    if (isOpen(conversation.state)) return closeEarlier(conversation);
    const by = conversation.closure?.by ?? 'user';
    if (by === 'agent' || (await systemCloses.isNoted(conversation))) return;
    await systemCloses.close(conversation, by);
  };

  return async ({ conversationId }) => {
    const conversation = await lifecycle.store.get(conversationId);
    if (!conversation) return;
    try {
      await close(conversation);
    } catch (error) {
      const thrown = asPostponed(error, settings.retry);
      if (thrown instanceof Postponed) counters.count('postponed');
      throw thrown;
    }
  };
}
