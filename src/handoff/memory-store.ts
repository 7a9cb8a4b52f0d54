import type { Conversation } from '../events/index.js';
import {
  applyConversationChange,
  type ConversationFilter,
  createConversation,
  type HandoffStore,
  isFinished,
} from './store.js';

interface MemoryStoreOptions {
  /** Default 10,000. Beyond it, finished conversations are dropped first, the oldest first. */
  readonly maxConversations?: number;
  /** Default 100,000. Beyond it, the oldest keys are dropped. */
  readonly maxKeys?: number;
  /** Whether the transcript is kept after the end. Default `false`. */
  readonly keepContent?: boolean;
  /** The current time in milliseconds. Default: the machine's clock. */
  readonly now?: () => number;
}

/** Bounded in size. */
export function createMemoryHandoffStore({
  maxConversations = 10_000,
  maxKeys = 100_000,
  keepContent = false,
  now = Date.now,
}: MemoryStoreOptions = {}): HandoffStore {
  /** By id. Finished conversations have a separate map, whose first entry is dropped first. */
  const live = new Map<string, Conversation>();
  const finished = new Map<string, Conversation>();
  /** Conversation ids by the helpdesk's id. */
  const linked = new Map<string, Set<string>>();

  const find = (id: string): Conversation | null => live.get(id) ?? finished.get(id) ?? null;

  const remove = (conversation: Conversation): void => {
    live.delete(conversation.id);
    finished.delete(conversation.id);
    const key = linkKey(conversation);
    const ids = key === null ? undefined : linked.get(key);
    if (key === null || !ids) return;
    ids.delete(conversation.id);
    if (ids.size === 0) linked.delete(key);
  };

  const put = (conversation: Conversation): void => {
    (isFinished(conversation) ? finished : live).set(conversation.id, conversation);
    const key = linkKey(conversation);
    if (key === null) return;
    const ids = linked.get(key);
    if (ids) ids.add(conversation.id);
    else linked.set(key, new Set([conversation.id]));
  };

  const makeRoom = (): void => {
    while (live.size + finished.size >= maxConversations) {
      const [oldest] = finished.size > 0 ? finished.values() : live.values();
      if (!oldest) return;
      remove(oldest);
    }
  };

  const all = (): Conversation[] => [...live.values(), ...finished.values()];

  const removeWhere = (condition: (conversation: Conversation) => boolean): number => {
    const removed = all().filter(condition);
    removed.forEach(remove);
    return removed.length;
  };

  const { dropExpired, ...keys } = createMemoryKeys({ maxKeys, now });

  return {
    ...keys,
    async create(conversation) {
      const known = find(conversation.id);
      if (known) return { conversation: known, created: false };
      makeRoom();
      const first = createConversation(conversation, now());
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
      const next = applyConversationChange(conversation, change, { now: now(), keepContent });
      // Reinserting moves it to the end of its map: the least recently changed conversation is dropped first.
      remove(conversation);
      put(next);
      return next;
    },
    list: async (filter = {}) => pick(all(), filter),
    forget: async (userId) =>
      removeWhere(({ user }) => user.userId === userId || user.anonymousId === userId),
    async prune(closedBefore) {
      dropExpired();
      return removeWhere(({ closure }) => closure !== null && closure.at < closedBefore);
    },
  };
}

const linkKey = ({ link }: Conversation): string | null =>
  link && JSON.stringify([link.adapter, link.externalId]);

function pick(conversations: readonly Conversation[], filter: ConversationFilter): Conversation[] {
  const { states, userKey, adapter, linked, changedBefore, changedAfter, after, limit = 100 } = filter;
  const matching = conversations.filter(
    (each) =>
      (states === undefined || states.includes(each.state)) &&
      (userKey === undefined || each.user.key === userKey) &&
      (adapter === undefined || each.link?.adapter === adapter) &&
      (linked === undefined || (each.link !== null) === linked) &&
      (changedBefore === undefined || each.changedAt < changedBefore) &&
      (changedAfter === undefined || each.changedAt > changedAfter) &&
      (after === undefined || byLastChange(after, each) < 0),
  );
  return matching.sort(byLastChange).slice(0, limit);
}

type Position = Pick<Conversation, 'changedAt' | 'id'>;

function byLastChange(a: Position, b: Position): number {
  const difference = b.changedAt.getTime() - a.changedAt.getTime();
  return difference === 0 ? Number(a.id < b.id) - Number(a.id > b.id) : difference;
}

/** Idempotency keys, cursors and leases. */
interface MemoryKeys
  extends Pick<
    HandoffStore,
    | 'addIdempotencyKey'
    | 'hasIdempotencyKey'
    | 'removeIdempotencyKey'
    | 'cursor'
    | 'moveCursor'
    | 'lease'
    | 'release'
  > {
  readonly dropExpired: () => void;
}

/** Below this number expired entries are not removed. */
const FEW = 1_000;

function createMemoryKeys({
  maxKeys,
  now,
}: Required<Pick<MemoryStoreOptions, 'maxKeys' | 'now'>>): MemoryKeys {
  /** When each key expires, in the order they were added. */
  const keys = new Map<string, number>();
  const cursors = new Map<string, string>();
  const leases = new Map<string, { readonly owner: string; readonly until: number }>();
  let cleanAt = Math.min(FEW, maxKeys);

  const holds = (key: string): boolean => (keys.get(key) ?? 0) > now();

  const dropExpired = (): void => {
    const time = now();
    for (const [key, until] of keys) if (until <= time) keys.delete(key);
    for (const [name, { until }] of leases) if (until <= time) leases.delete(name);
  };

  /** Runs only when the number of entries has doubled since the last run, which keeps adding cheap. */
  const makeRoom = (): void => {
    if (Math.max(keys.size, leases.size) < cleanAt) return;
    dropExpired();
    for (const key of keys.keys()) {
      if (keys.size < maxKeys) break;
      keys.delete(key);
    }
    cleanAt = Math.min(maxKeys, Math.max(FEW, keys.size * 2, leases.size * 2));
  };

  return {
    dropExpired,
    async addIdempotencyKey(key, keepMs) {
      if (holds(key)) return false;
      keys.delete(key);
      makeRoom();
      keys.set(key, now() + keepMs);
      return true;
    },
    hasIdempotencyKey: async (key) => holds(key),
    removeIdempotencyKey: async (key) => void keys.delete(key),
    cursor: async (name) => cursors.get(name) ?? null,
    async moveCursor(name, from, to) {
      if ((cursors.get(name) ?? null) !== from) return false;
      cursors.set(name, to);
      return true;
    },
    async lease(name, owner, forMs) {
      const lease = leases.get(name);
      if (lease && lease.owner !== owner && lease.until > now()) return false;
      if (!lease) makeRoom();
      leases.set(name, { owner, until: now() + forMs });
      return true;
    },
    async release(name, owner) {
      if (leases.get(name)?.owner === owner) leases.delete(name);
    },
  };
}
