import { type Conversation, isOpen } from '../../handoff/index.js';
import { settlesWithin } from '../../internal/index.js';
import { AdapterError, type InboundEvent } from '../adapter/adapter-types.js';
import { type BridgeContext, toRef } from '../bridge-context.js';
import { readEvents } from './read-events.js';

/**
 * Puts events of a conversation into the helpdesk's own order, and adds those that have not arrived. This is the only
 * place that decides on order; without `catchUp`, it is that of arrival.
 *
 *     arrived ── no close, and webhooks keep their order ──────────> as they arrived
 *        │ otherwise
 *     catchUp ── lists ────────────────────────────────────────────> as listed
 *        │ fails
 *        ├─ for good ──────────────────────────────────────────────> as they arrived, with a warning
 *        ├─ transient, or slow; messages only ─────────────────────> as they arrived
 *        └─ transient; a close ── within ten minutes ──────────────> rejected: the close comes again
 *                                └─ later ─────────────────────────> as they arrived, with a warning
 */
export interface EventOrder {
  /** The events to apply, in order. `isNew` tells which of those that arrived were not applied before. */
  arrange(
    conversation: Conversation,
    arrived: readonly InboundEvent[],
    isNew: (event: InboundEvent) => Promise<boolean>,
  ): Promise<readonly InboundEvent[]>;
  /** What agents did in a conversation. Rejects when it cannot be listed. */
  list(conversation: Conversation): Promise<readonly InboundEvent[]>;
  /** The events of {@link arrange} or {@link list} were applied: the next list begins there. */
  applied(externalId: string): void;
  /** Events with a close that were rejected, and must be passed again. */
  rejected(): readonly (readonly InboundEvent[])[];
}

/** A message waits this long for the list: helpdesks wait a few seconds for the webhook's answer. */
const LIST_WITHIN_MS = 2_500;
/** How long a close waits for the replies before it. After that the user is more important. */
const CLOSE_WAITS_MS = 600_000;
/** How far the helpdesk's clock may be behind ours. */
const CLOCK_SKEW_MS = 120_000;
/** Events are remembered for seven days: older ones would be taken for new. */
const LONGEST_LOOK_BACK_MS = 6 * 86_400_000;
/** Bounds memory. A forgotten conversation is listed from its beginning. */
const MAX_CONVERSATIONS = 10_000;

/** What agents did until a time. */
interface List {
  readonly events: readonly InboundEvent[];
  readonly until: number;
}

/** A close that waits for a list. */
interface RejectedClose {
  readonly since: number;
  readonly events: readonly InboundEvent[];
}

export function createEventOrder(bridge: BridgeContext): EventOrder {
  const { adapter, calls, retry, auth, log } = bridge;
  const { capabilities } = adapter;
  const catchUp = adapter.catchUp?.bind(adapter);
  /** Until when each conversation was listed, and what of that is being applied. */
  const listedUntil = new Map<string, number>();
  const applying = new Map<string, number>();
  const closes = new Map<string, RejectedClose>();

  const needsList = (event: InboundEvent): boolean => {
    if (event.author.kind === 'self') return false;
    if (event.kind === 'closed') return true;
    return capabilities.unordered === true && isByAgent(event);
  };

  const list = async (conversation: Conversation): Promise<List> => {
    const { link, requestedAt } = conversation;
    const until = Date.now();
    if (!catchUp || link?.adapter !== adapter.name) return { events: [], until };
    const from = Math.max(requestedAt.getTime(), listedUntil.get(link.externalId) ?? 0) - CLOCK_SKEW_MS;
    const since = new Date(Math.max(from, until - LONGEST_LOOK_BACK_MS));
    const ref = toRef(conversation, link);
    const listed = await calls.run('catchUp', (call) => catchUp(ref, since, call));
    auth.accepted();
    const events = readEvents(bridge, listed);
    return { events: events.filter(({ externalId }) => externalId === link.externalId), until };
  };

  const use = (
    { link }: Conversation,
    { events, until }: List,
    arrived: readonly InboundEvent[],
  ): readonly InboundEvent[] => {
    if (link) applying.set(link.externalId, until);
    return merge(events, arrived);
  };

  const warn = (conversation: Conversation, error: AdapterError, what: string): void => {
    if (error.kind === 'auth') auth.refused(error);
    const details = { conversationId: conversation.id, err: error };
    log.warn(details, `${what}; replies whose webhooks have not arrived may be late or missing`);
  };

  /** `null`: the events are applied as they arrived. */
  const listForClose = async (
    conversation: Conversation,
    externalId: string,
    arrived: readonly InboundEvent[],
  ): Promise<List | null> => {
    try {
      return await retry(() => list(conversation));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      const { since } = closes.get(externalId) ?? { since: Date.now() };
      if (error.retryable && Date.now() - since < CLOSE_WAITS_MS) {
        closes.set(externalId, { since, events: arrived });
        throw error;
      }
      warn(conversation, error, 'what agents did before a close could not be listed');
      return null;
    }
  };

  const listForMessage = async (conversation: Conversation): Promise<List | null> => {
    const listing = list(conversation).catch((error: unknown) => {
      if (!(error instanceof AdapterError)) throw error;
      warn(conversation, error, 'events are applied in the order of their arrival');
      return null;
    });
    return (await settlesWithin(listing, LIST_WITHIN_MS)) ? listing : null;
  };

  return {
    async arrange(conversation, arrived, isNew) {
      const [first] = arrived;
      if (!catchUp || !first || !isOpen(conversation.state)) return arrived;
      const needing: InboundEvent[] = [];
      for (const event of arrived) if (needsList(event) && (await isNew(event))) needing.push(event);
      if (needing.length === 0) return arrived;
      const isClosing = needing.some(({ kind }) => kind === 'closed');
      const listed = await (isClosing
        ? listForClose(conversation, first.externalId, arrived)
        : listForMessage(conversation));
      return listed === null ? arrived : use(conversation, listed, arrived);
    },
    list: async (conversation) => use(conversation, await list(conversation), []),
    applied(externalId) {
      closes.delete(externalId);
      const until = applying.get(externalId);
      if (until === undefined) return;
      applying.delete(externalId);
      listedUntil.delete(externalId);
      listedUntil.set(externalId, until);
      const [oldest] = listedUntil.keys();
      if (listedUntil.size > MAX_CONVERSATIONS && oldest !== undefined) listedUntil.delete(oldest);
    },
    rejected: () => [...closes.values()].map(({ events }) => events),
  };
}

export const isByAgent = (event: InboundEvent): boolean =>
  event.author.kind === 'agent' && !(event.kind === 'message' && event.internal);

/**
 * The listed events in their order, each as it arrived if it did, since webhooks may say more than lists. Whatever is
 * not listed comes before the close.
 */
function merge(listed: readonly InboundEvent[], arrived: readonly InboundEvent[]): readonly InboundEvent[] {
  const byId = new Map(arrived.map((event) => [event.id, event]));
  const known = new Set(listed.map(({ id }) => id));
  const events = listed.flatMap((event) => byId.get(event.id) ?? (isByAgent(event) ? event : []));
  const unlisted = arrived.filter(({ id }) => !known.has(id));
  const end = events.findIndex(({ kind }) => kind === 'closed');
  const closeAt = end === -1 ? events.length : end;
  return [
    ...events.slice(0, closeAt),
    ...unlisted.filter(({ kind }) => kind !== 'closed'),
    ...events.slice(closeAt),
    ...unlisted.filter(({ kind }) => kind === 'closed'),
  ];
}
