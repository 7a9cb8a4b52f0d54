import type { Conversation } from '../../handoff/index.js';
import type { CloseReason, OpenedConversation } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import type { ClaimedRun } from '../calls/adapter-calls.js';
import { sessionKey, toLink, toSession } from '../conversation.js';
import type { CloseCalls } from './close-calls.js';

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
  findAndClose(conversation: Conversation, reason?: CloseReason, onBehalfOf?: ClaimedRun): Promise<boolean>;
  /** Remembers that a conversation of the helpdesk is or was a handoff. */
  noteOpened(externalId: string): Promise<void>;
  wasOpened(externalId: string): Promise<boolean>;
  /** Remembers for a while that there was an orphan, before a new session hides its record. */
  noteOrphan(): Promise<void>;
  /** Whether there was an orphan lately: agents may have written in it. */
  existedLately(): Promise<boolean>;
}

/** For this long, an event of an unknown conversation may be one of a conversation whose opening has no outcome. */
export const IN_DOUBT_MS = 600_000;

const OPENED_TOO_LATE: CloseReason = {
  by: 'system',
  text: 'The conversation ended before it was open here: opening it took too long.',
};

export function createOrphans(
  { adapter, lifecycle, calls, retry, counters, log }: BridgeContext,
  closeCalls: CloseCalls,
): Orphans {
  const openingKey = (conversation: Conversation): string =>
    `bridge opening ${adapter.name} ${sessionKey(conversation)}`;
  const clearOpening = (conversation: Conversation): Promise<void> =>
    lifecycle.store.removeIdempotencyKey(openingKey(conversation));
  const openedKey = (externalId: string): string => `bridge opened ${adapter.name} ${externalId}`;
  const noteOpened = async (externalId: string): Promise<void> => {
    await lifecycle.store.addIdempotencyKey(openedKey(externalId), KEY_TTL_MS);
  };
  /** One key for each ten minutes. */
  const orphanKey = (at: number): string => `bridge orphan ${adapter.name} ${Math.floor(at / IN_DOUBT_MS)}`;
  const noteOrphan = async (): Promise<void> => {
    await lifecycle.store.addIdempotencyKey(orphanKey(Date.now()), 2 * IN_DOUBT_MS);
  };

  const close = async (
    conversation: Conversation,
    opened: OpenedConversation,
    reason: CloseReason,
    onBehalfOf?: ClaimedRun,
  ): Promise<void> => {
    await closeCalls.run(conversation, toLink(adapter.name, opened), reason, onBehalfOf);
    await noteOpened(opened.externalId);
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
        log.warn(
          details,
          'orphaned conversation not closed yet; the reconcile loop retries, unless it was given up',
        );
      }
    },
    async findAndClose(conversation, reason = OPENED_TOO_LATE, onBehalfOf) {
      const found = await retry(() =>
        calls.run('find', (call) => adapter.find(toSession(conversation), call), onBehalfOf),
      );
      if (found) await close(conversation, found, reason, onBehalfOf);
      return found !== null;
    },
    noteOpened,
    wasOpened: (externalId) => lifecycle.store.hasIdempotencyKey(openedKey(externalId)),
    noteOrphan,
    async existedLately() {
      const keys = [Date.now(), Date.now() - IN_DOUBT_MS].map(orphanKey);
      const found = await Promise.all(keys.map((key) => lifecycle.store.hasIdempotencyKey(key)));
      return found.includes(true);
    },
  };
}
