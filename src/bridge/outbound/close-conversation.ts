import { type Handler, type HandlerContext, Postponed, Unrecoverable } from '../../events/index.js';
import { type AdapterLink, type Conversation, isOpen } from '../../handoff/index.js';
import { AdapterError, type CloseReason } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS, sessionKey, toRef, toSession } from '../bridge-context.js';
import { asPostponed, type ClaimedRun } from '../calls/adapter-calls.js';
import type { MessageName } from '../options.js';
import type { EchoDetector } from './echo-detection.js';
import { createFailingCalls, isCallFailure } from './failing-calls.js';

/** Shown to the agents. */
const REASON_TEXT: Readonly<Record<CloseReason['by'], string>> = {
  user: 'The user has left the conversation.',
  timeout: 'The conversation timed out.',
  system: 'The conversation was ended automatically.',
};

/** Why a conversation is closed, in the words of the bridge. */
export const closeReason = (by: CloseReason['by']): CloseReason => ({ by, text: REASON_TEXT[by] });

/** Looks for a conversation that no link leads to, and closes it. */
export interface OrphanCloser {
  findAndClose(conversation: Conversation, reason: CloseReason, onBehalfOf: ClaimedRun): Promise<unknown>;
}

/** Creates the handler of conversations that the user left or that timed out. */
export function createOnClosed(
  { lifecycle, settings, counters }: BridgeContext,
  closer: HelpdeskCloser,
  orphans: OrphanCloser,
): Handler<'handoff.closed'> {
  /** An open conversation was requested again since. The close belongs to the session before, whose link is gone. */
  const closePreviousSession = async (
    conversation: Conversation,
    context: HandlerContext<'handoff.closed'>,
  ): Promise<void> => {
    const previous = { ...conversation, session: conversation.session - 1 };
    const by = context.payload.type === 'TIMEOUT' ? 'timeout' : 'user';
    await orphans.findAndClose(previous, closeReason(by), context);
  };

  const close = async (
    conversation: Conversation,
    context: HandlerContext<'handoff.closed'>,
  ): Promise<void> => {
    if (isOpen(conversation.state)) return closePreviousSession(conversation, context);
    const by = conversation.closure?.by ?? 'user';
    if (by === 'agent' || (await closer.isMarkedClosed(conversation))) return;
    await closer.close(conversation, closeReason(by), context);
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
export type TellAndEnd = (conversation: Conversation, message: MessageName, reason: string) => Promise<void>;

export function createTellAndEnd({ conversations, renderMessage, log }: BridgeContext): TellAndEnd {
  return async (conversation, message, reason) => {
    const { id } = conversation;
    const key = sessionKey(conversation);
    log.warn({ conversationId: id, reason }, 'conversation ended by the bridge');
    const text = await renderMessage(message, conversation);
    if (text !== null)
      await conversations.reply(id, text, { once: `bridge ${message} ${key}`, by: 'system' });
    await conversations.end(id, { once: `bridge end ${key}`, by: 'system', reason });
  };
}

/** Closes conversations in the helpdesk, and remembers which ones the helpdesk knows to be closed. */
export interface HelpdeskCloser {
  /**
   * Closes a conversation in the helpdesk. One that is gone or closed already succeeds. A close that is refused, or at
   * which alone the helpdesk keeps failing, is given up: it rejects with kind `invalid`, and operators are told.
   */
  close(conversation: Conversation, reason: CloseReason, onBehalfOf?: ClaimedRun): Promise<void>;
  /** The same for an orphan, to which the conversation has no link. */
  closeAt(
    link: AdapterLink,
    conversation: Conversation,
    reason: CloseReason,
    onBehalfOf?: ClaimedRun,
  ): Promise<void>;
  /** Records that the helpdesk knows the conversation to be closed. */
  markClosed(conversation: Conversation): Promise<void>;
  isMarkedClosed(conversation: Conversation): Promise<boolean>;
  /** Whether a close was given up. An operator closes the conversation, or retries the dead letter. */
  isGivenUp(conversation: Conversation): Promise<boolean>;
}

export function createHelpdeskCloser(bridge: BridgeContext, echoes: EchoDetector): HelpdeskCloser {
  const { adapter, lifecycle, calls, retry, auth, counters, log } = bridge;
  const { store } = lifecycle;
  const failing = createFailingCalls(bridge);
  const noteKey = (conversation: Conversation): string =>
    `bridge close note ${adapter.name} ${sessionKey(conversation)}`;
  const givenUpKey = (conversation: Conversation): string =>
    `bridge close given up ${adapter.name} ${sessionKey(conversation)}`;

  const closedKey = (conversation: Conversation): string =>
    `bridge closed ${adapter.name} ${sessionKey(conversation)}`;
  const markClosed = async (conversation: Conversation): Promise<void> => {
    await store.addIdempotencyKey(closedKey(conversation), KEY_TTL_MS);
  };

  const closeAt: HelpdeskCloser['closeAt'] = async (link, conversation, reason, onBehalfOf) => {
    const ref = toRef(conversation, link);
    // The reconcile loop may try the same close as its event: the runs of each are counted apart.
    const key = `close ${sessionKey(conversation)} ${onBehalfOf ? 'event' : 'loop'}`;

    /** Asks the agents to close it themselves, once; after that, a search shows whether the helpdesk answers. */
    const sendNote = async (): Promise<boolean> => {
      const text = `(${reason.text} It could not be closed here; please close it.)`;
      const options = { conversationId: conversation.id, onBehalfOf, evenIfPaused: true };
      const message = { key: `${key} note`, text, sentAt: null };
      try {
        if (await store.hasIdempotencyKey(noteKey(conversation))) {
          const session = toSession(conversation, adapter);
          await calls.run('find', (call) => adapter.find(session, call), options);
          return true;
        }
        await echoes.trackSend(link.externalId, text, () =>
          calls.run('send', (call) => adapter.send(ref, message, call), options),
        );
        await store.addIdempotencyKey(noteKey(conversation), KEY_TTL_MS);
        return true;
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        const details = { conversationId: conversation.id, err: error };
        log.warn(details, 'agents were not told of a conversation that could not be closed');
        return error.kind === 'gone' || error.kind === 'invalid';
      }
    };

    const tryClose = () =>
      retry(() => calls.run('close', (call) => adapter.close(ref, reason, call), { onBehalfOf }));

    const closeLastTime = () =>
      tryClose().catch(async (error: unknown) => {
        await failing.forget(key);
        if (!isCallFailure(error) || calls.ended) throw error;
        const message = `${adapter.name} answers, and keeps failing to close this conversation: ${error.message}`;
        throw new AdapterError('invalid', message, { cause: error });
      });

    const giveUp = async (error: AdapterError): Promise<void> => {
      await store.addIdempotencyKey(givenUpKey(conversation), KEY_TTL_MS);
      counters.count('unclosed');
      const details = { conversationId: conversation.id, url: link.url, err: error };
      log.error(details, 'a conversation could not be closed in the helpdesk. Close it there');
    };

    try {
      await tryClose().catch(async (error: unknown) => {
        const hasFailed = isCallFailure(error) && !calls.ended;
        if (!hasFailed || !(await failing.isAtFault(key, sendNote))) throw error;
        await closeLastTime();
      });
      auth.accepted();
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (error.kind === 'gone') return;
      if (error.kind === 'auth') auth.refused(error);
      if (error.kind === 'invalid') await giveUp(error);
      throw error;
    }
  };

  return {
    closeAt,
    async close(conversation, reason, onBehalfOf) {
      const { link } = conversation;
      if (link?.adapter !== adapter.name) return;
      await closeAt(link, conversation, reason, onBehalfOf);
      await markClosed(conversation);
      counters.count('closedInHelpdesk');
    },
    markClosed,
    isMarkedClosed: (conversation) => store.hasIdempotencyKey(closedKey(conversation)),
    isGivenUp: (conversation) => store.hasIdempotencyKey(givenUpKey(conversation)),
  };
}
