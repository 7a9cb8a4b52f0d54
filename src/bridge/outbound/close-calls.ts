import type { AdapterLink, Conversation } from '../../handoff/index.js';
import { AdapterError } from '../adapter/adapter-error.js';
import type { CloseReason } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import type { ClaimedRun } from '../calls/adapter-calls.js';
import { createFailingCalls, isCallFailure } from '../calls/failing-calls.js';
import { sessionKey, toRef, toSession } from '../conversation.js';
import type { EchoDetector } from './echo-detection.js';

/** Calls `close` of the adapter, for conversations and for orphans. */
export interface CloseCalls {
  /**
   * Closes a conversation in the helpdesk. One that is gone or closed already succeeds. A close that is refused, or at
   * which alone the helpdesk keeps failing, is given up: it rejects with kind `invalid`, and operators are told.
   */
  run(
    conversation: Conversation,
    link: AdapterLink,
    reason: CloseReason,
    onBehalfOf?: ClaimedRun,
  ): Promise<void>;
  /** Whether a close was given up. An operator closes the conversation, or retries the dead letter. */
  isGivenUp(conversation: Conversation): Promise<boolean>;
}

export function createCloseCalls(bridge: BridgeContext, echoes: EchoDetector): CloseCalls {
  const { adapter, lifecycle, calls, retry, auth, counters, log } = bridge;
  const { store } = lifecycle;
  const failing = createFailingCalls(bridge);
  const noteKey = (conversation: Conversation): string =>
    `bridge close note ${adapter.name} ${sessionKey(conversation)}`;
  const givenUpKey = (conversation: Conversation): string =>
    `bridge close given up ${adapter.name} ${sessionKey(conversation)}`;

  return {
    isGivenUp: (conversation) => store.hasIdempotencyKey(givenUpKey(conversation)),
    async run(conversation, link, reason, onBehalfOf) {
      const ref = toRef(conversation, link);
      // The reconcile loop may try the same close as its event: the runs of each are counted apart.
      const key = `close ${sessionKey(conversation)} ${onBehalfOf ? 'event' : 'loop'}`;

      /** Asks the agents to close it themselves, once; after that, a search shows whether the helpdesk answers. */
      const sendNote = async (): Promise<boolean> => {
        const text = `(${reason.text} It could not be closed here; please close it.)`;
        const evenIfPaused = { evenIfPaused: true };
        const message = { key: `${key} note`, text, sentAt: null };
        try {
          if (await store.hasIdempotencyKey(noteKey(conversation))) {
            const session = toSession(conversation);
            await calls.run('find', (call) => adapter.find(session, call), onBehalfOf, evenIfPaused);
            return true;
          }
          await echoes.trackSend(link.externalId, text, () =>
            calls.run('send', (call) => adapter.send(ref, message, call), onBehalfOf, evenIfPaused),
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
        retry(() => calls.run('close', (call) => adapter.close(ref, reason, call), onBehalfOf));

      const closeLastTime = () =>
        tryClose().catch(async (error: unknown) => {
          await failing.forget(key);
          if (!isCallFailure(error) || calls.ended) throw error;
          const why = `${adapter.name} answers, and keeps failing to close this conversation: ${error.message}`;
          throw new AdapterError('invalid', why, { cause: error });
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
    },
  };
}
