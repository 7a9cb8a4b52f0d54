import { setTimeout as sleep } from 'node:timers/promises';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { settlesWithin } from '../../internal/index.js';
import { AdapterError, type HandoffSession, type OpenedConversation } from '../adapter/adapter-types.js';
import {
  type BridgeContext,
  changeWhile,
  isUnopened,
  sessionKey,
  toLink,
  toSession,
} from '../bridge-context.js';
import { retryDelay } from '../calls/adapter-calls.js';
import { createFindRoute } from '../options.js';
import type { Orphans } from './orphans.js';

/**
 * The result of {@link ConversationOpener.ensureOpen}.
 *
 * - `open`: open in the helpdesk, and linked.
 * - `ended`: the session ended meanwhile, or was never requested.
 * - `failed`: the helpdesk refused or was unavailable.
 * - `pending`: the time is up; opening continues in the background.
 */
export type OpenResult =
  | { readonly kind: 'open'; readonly conversation: Conversation }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: AdapterError }
  | { readonly kind: 'pending' };

/** Opens each conversation in the helpdesk once, across concurrent callers and processes. */
export interface ConversationOpener {
  /** Makes sure that a conversation is open in the helpdesk, within a time limit. */
  ensureOpen(conversation: Conversation, withinMs: number): Promise<OpenResult>;
  /** Asks the helpdesk for the conversation of an earlier attempt. */
  find(conversation: Conversation): Promise<OpenedConversation | null>;
  /** Stores where a conversation is open. One that has ended, or is open elsewhere, is closed again. */
  link(conversation: Conversation, opened: OpenedConversation): Promise<OpenResult>;
}

/** The process that opens a conversation renews this lease every third of it; the others wait. */
const LEASE_MS = 15_000;
const LEASE_RETRY_MS = 50;
/** How many earlier conversations of a user `open` is told of. */
const MAX_PREVIOUS = 5;

/** Whether the helpdesk answered, and would refuse the same request again. */
const isRefusal = (error: unknown): boolean => error instanceof AdapterError && !error.retryable;

export function createConversationOpener(bridge: BridgeContext, orphans: Orphans): ConversationOpener {
  const { adapter, lifecycle, settings, calls, auth, counters, log, instanceId } = bridge;
  const { store } = lifecycle;
  const inFlight = new Map<string, Promise<OpenResult>>();
  const findRoute = createFindRoute(settings.route, settings.openWithinMs / 2, log);

  const find = (conversation: Conversation): Promise<OpenedConversation | null> =>
    calls.run('find', (call) => adapter.find(toSession(conversation, adapter), call), {
      conversationId: conversation.id,
    });

  /** Opens the conversation, or finds the one of an earlier attempt. The caller must hold the lease. */
  const openOrFind = async (conversation: Conversation): Promise<OpenResult> => {
    const { session } = conversation;
    const isFirstAttempt = await orphans.recordOpening(conversation);
    if (session > 1 && (await orphans.mayExist({ ...conversation, session: session - 1 })))
      await orphans.noteOrphan();
    const found = isFirstAttempt ? null : await find(conversation);
    if (found) return link(conversation, found);
    // The steps above may have been slow, and the handoff may have ended since: then nothing must be opened.
    const current = await currentState(conversation);
    if ('kind' in current) return current;
    // The record is not cleared when this fails: the helpdesk may have created the conversation all the same.
    return link(conversation, await openRouted(conversation));
  };

  const open = (session: HandoffSession): Promise<OpenedConversation> =>
    calls.run('open', (call) => adapter.open(session, call), { conversationId: session.conversationId });

  /** Where earlier conversations of the user were opened. */
  const previousOf = async ({ id, user }: Conversation): Promise<Pick<HandoffSession, 'previous'>> => {
    const filter = { userKey: user.key, adapter: adapter.name, linked: true, limit: MAX_PREVIOUS };
    const previous = (await store.list(filter)).flatMap((each) =>
      each.id === id || !each.link ? [] : [{ externalId: each.link.externalId, extra: each.link.extra }],
    );
    return previous.length === 0 ? {} : { previous };
  };

  /** Opens the conversation where the application wants it, or without that when the helpdesk refuses it. */
  const openRouted = async (conversation: Conversation): Promise<OpenedConversation> => {
    const session = { ...toSession(conversation, adapter), ...(await previousOf(conversation)) };
    const route = await findRoute(conversation);
    if (!route) return open(session);
    try {
      return await open({ ...session, route });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.error(
        { conversationId: conversation.id, err: error },
        'handoff refused with its tags, priority or department; opening it without. Check what route returns',
      );
      // A refused answer does not always mean that nothing was created.
      return (await find(conversation)) ?? open(session);
    }
  };

  const link = async (conversation: Conversation, opened: OpenedConversation): Promise<OpenResult> => {
    await orphans.noteOpened(opened.externalId);
    const linked = await changeWhile(store, conversation.id, isUnopened(conversation.session), {
      link: toLink(adapter.name, opened),
    });
    if (!linked) {
      const current = await currentState(conversation);
      const result: OpenResult = 'kind' in current ? current : { kind: 'ended' };
      // Another process may have found and linked it meanwhile.
      if (result.kind !== 'open' || !isPlaceOf(result.conversation, opened))
        void orphans.closeLate(conversation, opened);
      return result;
    }
    await orphans.clearOpening(conversation);
    counters.count('opened');
    auth.accepted();
    log.debug({ conversationId: conversation.id, externalId: opened.externalId }, 'conversation opened');
    return { kind: 'open', conversation: linked };
  };

  const whileLeased = async <Result>(lease: string, task: () => Promise<Result>): Promise<Result> => {
    const heartbeat = setInterval(() => {
      store
        .lease(lease, instanceId, LEASE_MS)
        .catch((error: unknown) => log.warn({ err: error }, 'lease not renewed'));
    }, LEASE_MS / 3).unref();
    try {
      return await task();
    } finally {
      clearInterval(heartbeat);
      // The lease expires by itself; what was opened must not be lost for it.
      await store
        .release(lease, instanceId)
        .catch((error: unknown) => log.warn({ err: error }, 'lease not released'));
    }
  };

  /** The stored conversation when it still has to be opened, otherwise the result. */
  const currentState = async ({ id, session }: Conversation): Promise<OpenResult | Conversation> => {
    const current = await store.get(id);
    if (current?.session !== session || !isOpen(current.state)) return { kind: 'ended' };
    return current.link ? { kind: 'open', conversation: current } : current;
  };

  const isPlaceOf = ({ link: stored }: Conversation, { externalId }: OpenedConversation): boolean =>
    stored?.adapter === adapter.name && stored.externalId === externalId;

  const openWithRetry = async (conversation: Conversation, deadline: number): Promise<OpenResult> => {
    const lease = `bridge open ${adapter.name} ${sessionKey(conversation)}`;
    for (let attempts = 1; ; ) {
      const before = await currentState(conversation);
      if ('kind' in before) return before;
      if (!(await store.lease(lease, instanceId, LEASE_MS))) {
        if (Date.now() >= deadline || calls.ended) return { kind: 'pending' };
        await sleep(LEASE_RETRY_MS);
        continue;
      }
      try {
        return await whileLeased(lease, async () => {
          // The previous holder of the lease may have opened it since.
          const current = await currentState(conversation);
          return 'kind' in current ? current : openOrFind(current);
        });
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        if (error.kind === 'auth') auth.refused(error);
        log.warn({ conversationId: conversation.id, err: error, attempts }, 'conversation not opened');
        const delay = retryDelay(error, attempts, settings.retry);
        if (delay === null || Date.now() + delay >= deadline || calls.ended) return { kind: 'failed', error };
        await sleep(delay);
        attempts += 1;
      }
    }
  };

  /** Concurrent callers share one attempt. */
  const shared = (conversation: Conversation, deadline: number): Promise<OpenResult> => {
    const key = sessionKey(conversation);
    const existing = inFlight.get(key);
    if (existing) return existing;
    const opening = openWithRetry(conversation, deadline).finally(() => inFlight.delete(key));
    inFlight.set(key, opening);
    return opening;
  };

  return {
    async ensureOpen(conversation, withinMs) {
      const opening = shared(conversation, Date.now() + withinMs);
      return (await settlesWithin(opening, withinMs)) ? opening : { kind: 'pending' };
    },
    find,
    link,
  };
}
