import type { Conversation, ConversationFilter } from './conversation.js';
import { createMemoryMarks } from './memory-marks.js';
import { firstConversation, isOver, nextConversation } from './next-conversation.js';
import type { HandoffStore } from './store.js';

/** Settings of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Default 10,000. Those that have ended make room first, the oldest first. */
  readonly maxConversations?: number;
  /** Default 100,000. */
  readonly maxMarks?: number;
  /** Whether the transcript is kept after the end. Default `false`. */
  readonly keepContent?: boolean;
  /** The time in milliseconds. Default: that of the machine. */
  readonly now?: () => number;
}

/** Makes a {@link HandoffStore} that lasts as long as the process, and never grows beyond its bounds. */
export function createMemoryStore({
  maxConversations = 10_000,
  maxMarks = 100_000,
  keepContent = false,
  now = Date.now,
}: MemoryStoreOptions = {}): HandoffStore {
  /** By id. Two maps, so that whoever is to make room is the first of one. */
  const live = new Map<string, Conversation>();
  const over = new Map<string, Conversation>();
  /** The ids of those that an adapter knows under one id of its own. */
  const linked = new Map<string, Set<string>>();

  const find = (id: string): Conversation | null => live.get(id) ?? over.get(id) ?? null;

  const remove = (conversation: Conversation): void => {
    live.delete(conversation.id);
    over.delete(conversation.id);
    const key = linkKey(conversation);
    const ids = key === null ? undefined : linked.get(key);
    if (key === null || !ids) return;
    ids.delete(conversation.id);
    if (ids.size === 0) linked.delete(key);
  };

  const put = (conversation: Conversation): void => {
    (isOver(conversation) ? over : live).set(conversation.id, conversation);
    const key = linkKey(conversation);
    if (key === null) return;
    const ids = linked.get(key);
    if (ids) ids.add(conversation.id);
    else linked.set(key, new Set([conversation.id]));
  };

  const makeRoom = (): void => {
    while (live.size + over.size >= maxConversations) {
      const [oldest] = over.size > 0 ? over.values() : live.values();
      if (!oldest) return;
      remove(oldest);
    }
  };

  const all = (): Conversation[] => [...live.values(), ...over.values()];

  const removeWhere = (condition: (conversation: Conversation) => boolean): number => {
    const gone = all().filter(condition);
    gone.forEach(remove);
    return gone.length;
  };

  const { dropExpired, ...marks } = createMemoryMarks({ maxMarks, now });

  return {
    ...marks,
    async create(conversation) {
      const known = find(conversation.id);
      if (known) return { conversation: known, created: false };
      makeRoom();
      const first = firstConversation(conversation, now());
      put(first);
      return { conversation: first, created: true };
    },
    get: async (id) => find(id),
    async findByLink(adapter, externalId) {
      const ids = linked.get(JSON.stringify([adapter, externalId])) ?? [];
      const found = [...ids].flatMap((id) => find(id) ?? []);
      return found.sort((a, b) => b.requestedAt.getTime() - a.requestedAt.getTime())[0] ?? null;
    },
    async update(id, version, change) {
      const conversation = find(id);
      if (conversation?.version !== version) return null;
      const next = nextConversation(conversation, change, { now: now(), keepContent });
      // To the end of its row: what has not changed for longest makes room first.
      remove(conversation);
      put(next);
      return next;
    },
    list: async (filter = {}) => pick(all(), filter),
    forget: async (personId) =>
      removeWhere(({ user }) => user.userId === personId || user.anonymousId === personId),
    async prune(endedBefore) {
      dropExpired();
      return removeWhere(({ closure }) => closure !== null && closure.at < endedBefore);
    },
  };
}

const linkKey = ({ link }: Conversation): string | null =>
  link && JSON.stringify([link.adapter, link.externalId]);

function pick(conversations: readonly Conversation[], filter: ConversationFilter): Conversation[] {
  const { states, userKey, adapter, changedBefore, after, limit = 100 } = filter;
  const matching = conversations.filter(
    (each) =>
      (states === undefined || states.includes(each.state)) &&
      (userKey === undefined || each.user.key === userKey) &&
      (adapter === undefined || each.link?.adapter === adapter) &&
      (changedBefore === undefined || each.changedAt < changedBefore) &&
      (after === undefined || byLastChange(after, each) < 0),
  );
  return matching.sort(byLastChange).slice(0, limit);
}

type Place = Pick<Conversation, 'changedAt' | 'id'>;

function byLastChange(a: Place, b: Place): number {
  const apart = b.changedAt.getTime() - a.changedAt.getTime();
  return apart === 0 ? Number(a.id < b.id) - Number(a.id > b.id) : apart;
}
