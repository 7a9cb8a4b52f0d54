import { type Conversation, isOpen } from '../../handoff/index.js';
import { AdapterError, type CloseReason, type OpenedConversation } from '../adapter/adapter-types.js';
import {
  type BridgeContext,
  failUnaccepted,
  KEY_TTL_MS,
  repeatInBackground,
  sessionKey,
  toLink,
  toSession,
} from '../bridge-context.js';
import type { ClaimedRun } from '../calls/adapter-calls.js';
import { closeReason, type HelpdeskCloser } from './close-conversation.js';
import type { UndeliveredReplies } from './undelivered.js';

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
  closer: HelpdeskCloser,
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
    await closer.closeAt(toLink(adapter.name, opened), conversation, reason, onBehalfOf);
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
        calls.run('find', (call) => adapter.find(toSession(conversation, adapter), call), { onBehalfOf }),
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

/** The first pass looks at conversations changed in the last day. */
const FIRST_LOOK_BACK_MS = 86_400_000;
/** Later passes look back 20 minutes: longer than ABANDONED_AFTER_MS and any open takes. */
const LOOK_BACK_MS = 1_200_000;
/** A request that is open in the helpdesk and still not accepted: its sender was refused by another gate, or died. */
const ABANDONED_AFTER_MS = 600_000;
/** An `open` without a response may still take effect. After two minutes without an orphan there is none. */
const NO_ORPHAN_AFTER_MS = 120_000;
/** Requests of one conversation that may have failed since the last pass. */
const MAX_EARLIER_SESSIONS = 10;
const PAGE_SIZE = 100;

/**
 * Reconciles the store with the helpdesk after crashes and lost responses, in one process at a time: at the start, and
 * then every minute. It
 *
 * - fails requests that were never accepted,
 * - closes orphans: conversations open in the helpdesk although the user was refused,
 * - closes conversations in the helpdesk that were ended here without the helpdesk being told,
 * - tells agents of replies that have become dead letters.
 */
export function runReconcileLoop(
  bridge: BridgeContext,
  orphans: Orphans,
  closer: HelpdeskCloser,
  undelivered: UndeliveredReplies,
): Promise<void> {
  const { adapter, lifecycle, settings, ownership, stopSignal, auth, log, instanceId } = bridge;
  const { store } = lifecycle;
  const lease = `bridge reconcile ${adapter.name}`;

  let since = Date.now() - FIRST_LOOK_BACK_MS;

  async function* recentlyChanged(): AsyncGenerator<Conversation> {
    let after: Conversation | undefined;
    do {
      const page = await store.list({ limit: PAGE_SIZE, ...(after && { after }) });
      for (const conversation of page) {
        if (conversation.changedAt.getTime() < since) return;
        yield conversation;
      }
      after = page.length === PAGE_SIZE ? page.at(-1) : undefined;
    } while (after);
  }

  const age = ({ changedAt }: Conversation): number => Date.now() - changedAt.getTime();

  const closeOrphan = async (conversation: Conversation): Promise<void> => {
    if (!(await orphans.mayExist(conversation)) || (await closer.isGivenUp(conversation))) return;
    const found = await orphans.findAndClose(conversation);
    if (!found && age(conversation) > NO_ORPHAN_AFTER_MS) await orphans.clearOpening(conversation);
  };

  /** The helpdesk may not know of the end yet. That of the user is the handler's to report, unless it has failed. */
  const reportClose = async (conversation: Conversation): Promise<void> => {
    const { closure, link } = conversation;
    if (link?.adapter !== adapter.name || !closure) return;
    const by = closure.by === 'agent' ? 'system' : closure.by;
    if (by !== 'system' && age(conversation) < settings.callTimeoutMs) return;
    if ((await closer.isMarkedClosed(conversation)) || (await closer.isGivenUp(conversation))) return;
    await closer.close(conversation, closeReason(by));
  };

  const failIfAbandoned = async (conversation: Conversation): Promise<Conversation> => {
    const openingTakesMs = settings.openWithinMs + settings.callTimeoutMs;
    // Before it is linked, the process that opens it has given up by then; acceptance can come much later.
    if (age(conversation) < (conversation.link ? ABANDONED_AFTER_MS : openingTakesMs)) return conversation;
    const isUnchanged = ({ version }: Conversation): boolean => version === conversation.version;
    const failed = await failUnaccepted(store, conversation, 'it was never accepted', isUnchanged);
    return failed ?? conversation;
  };

  const reconcileConversation = async (found: Conversation): Promise<void> => {
    // A repeated request starts a new session with another key, and a user may repeat it before this loop runs.
    const earliest = Math.max(1, found.session - MAX_EARLIER_SESSIONS);
    for (let session = earliest; session < found.session; session += 1)
      await closeOrphan({ ...found, session });
    const isPending = found.state === 'requested' && ownership.owns(found);
    const conversation = isPending ? await failIfAbandoned(found) : found;
    if (isOpen(conversation.state)) return;
    if (conversation.link) await reportClose(conversation);
    else await closeOrphan(conversation);
  };

  /** A failure is retried on the next pass and does not hold up the other conversations. */
  const tryReconcile = async (conversation: Conversation): Promise<boolean> => {
    if (stopSignal.aborted) return false;
    try {
      await reconcileConversation(conversation);
      return true;
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else log.warn({ conversationId: conversation.id, err: error }, 'conversation not reconciled yet');
      return false;
    }
  };

  const reconcile = async (): Promise<void> => {
    if (!(await store.lease(lease, instanceId, settings.reconcileEveryMs * 3))) return;
    const startedAt = Date.now();
    let failures = 0;
    for await (const conversation of recentlyChanged()) {
      if (!(await tryReconcile(conversation))) failures += 1;
    }
    if (failures === 0) since = Math.max(since, startedAt - LOOK_BACK_MS);
    await undelivered.tellOfDeadLetters();
  };

  return repeatInBackground(bridge, {
    lease,
    failure: 'reconciliation failed',
    run: reconcile,
    waitMs: () => settings.reconcileEveryMs,
  });
}
