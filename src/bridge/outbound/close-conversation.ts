import { type Handler, Postponed, Unrecoverable } from '../../events/index.js';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { AdapterError } from '../adapter/adapter-error.js';
import type { CloseReason } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import { asPostponed, type ClaimedRun } from '../calls/adapter-calls.js';
import { sessionKey } from '../conversation.js';
import type { MessageName } from '../options.js';
import type { CloseCalls } from './close-calls.js';
import type { Orphans } from './orphans.js';

/** Shown to the agents. */
const REASON_TEXT: Readonly<Record<CloseReason['by'], string>> = {
  user: 'The user has left the conversation.',
  timeout: 'The conversation timed out.',
  system: 'The conversation was ended automatically.',
};

/** Why a conversation is closed, in the words of the bridge. */
export const closeReason = (by: CloseReason['by']): CloseReason => ({ by, text: REASON_TEXT[by] });

/** Closes conversations in the helpdesk, and remembers which ones the helpdesk knows to be closed. */
export interface HelpdeskCloser {
  /** Closes a conversation on behalf of the user or the platform. One that is gone or closed already succeeds. */
  close(conversation: Conversation, reason: CloseReason, onBehalfOf?: ClaimedRun): Promise<void>;
  /** Records that the helpdesk knows the conversation to be closed. */
  markClosed(conversation: Conversation): Promise<void>;
  isMarkedClosed(conversation: Conversation): Promise<boolean>;
}

export function createHelpdeskCloser(
  { adapter, counters, lifecycle }: BridgeContext,
  closeCalls: CloseCalls,
): HelpdeskCloser {
  const closedKey = (conversation: Conversation): string =>
    `bridge closed ${adapter.name} ${sessionKey(conversation)}`;
  const markClosed = async (conversation: Conversation): Promise<void> => {
    await lifecycle.store.addIdempotencyKey(closedKey(conversation), KEY_TTL_MS);
  };

  return {
    markClosed,
    isMarkedClosed: (conversation) => lifecycle.store.hasIdempotencyKey(closedKey(conversation)),
    async close(conversation, reason, onBehalfOf) {
      const { link } = conversation;
      if (link?.adapter !== adapter.name) return;
      await closeCalls.run(conversation, link, reason, onBehalfOf);
      await markClosed(conversation);
      counters.count('closedInSystem');
    },
  };
}

/** Creates the handler of conversations that the user left or that timed out. */
export function createOnClosed(
  { lifecycle, settings, counters }: BridgeContext,
  closer: HelpdeskCloser,
  orphans: Orphans,
): Handler<'handoff.closed'> {
  /** An open conversation was requested again since. The close belongs to the session before, whose link is gone. */
  const closePreviousSession = async (conversation: Conversation, run: ClaimedRun): Promise<void> => {
    const previous = { ...conversation, session: conversation.session - 1 };
    await orphans.findAndClose(previous, closeReason('user'), run);
  };

  const close = async (conversation: Conversation, run: ClaimedRun): Promise<void> => {
    if (isOpen(conversation.state)) return closePreviousSession(conversation, run);
    const by = conversation.closure?.by ?? 'user';
    if (by === 'agent' || (await closer.isMarkedClosed(conversation))) return;
    await closer.close(conversation, closeReason(by), run);
  };

  return async (context) => {
    const conversation = await lifecycle.store.get(context.conversationId);
    if (!conversation) return;
    try {
      await close(conversation, context);
    } catch (error) {
      const isRefused = error instanceof AdapterError && error.kind === 'invalid';
      const thrown = isRefused
        ? new Unrecoverable(error.message, { cause: error })
        : asPostponed(error, settings.retry);
      if (thrown instanceof Postponed) counters.count('postponed');
      throw thrown;
    }
  };
}

/** Sends a configured text to the user and ends the conversation on the platform. Idempotent. */
export type TellAndEnd = (conversation: Conversation, message: MessageName, why: string) => Promise<void>;

export function createTellAndEnd({ conversations, renderMessage, log }: BridgeContext): TellAndEnd {
  return async (conversation, message, why) => {
    const { id } = conversation;
    const key = sessionKey(conversation);
    log.warn({ conversationId: id, why }, 'conversation ended by the bridge');
    const text = await renderMessage(message, conversation);
    if (text !== null)
      await conversations.reply(id, text, { once: `bridge ${message} ${key}`, by: 'system' });
    await conversations.end(id, { once: `bridge end ${key}`, by: 'system', why });
  };
}
