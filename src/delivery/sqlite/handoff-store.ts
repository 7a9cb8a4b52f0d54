import type { HandoffStore } from '../../handoff/index.js';
import type { ConversationTable } from './conversations.js';
import type { Marks } from './marks.js';
import type { Writer } from './writer.js';

/** What {@link createHandoffStore} needs. */
export interface HandoffStoreParts {
  readonly conversations: ConversationTable;
  readonly marks: Marks;
  readonly writer: Writer;
}

/** Removed in one go; more would hold up those who write. */
const AT_ONCE = 1_000;

/** Makes a {@link HandoffStore} of the tables. What finds that there is nothing to write, writes nothing. */
export function createHandoffStore({ conversations, marks, writer }: HandoffStoreParts): HandoffStore {
  return {
    async create(conversation) {
      const known = conversations.get(conversation.id);
      if (known) return { conversation: known, created: false };
      return writer.write('claim', conversation, Date.now());
    },
    get: async (id) => conversations.get(id),
    findByLink: async (adapter, externalId) => conversations.byLink(adapter, externalId),
    update: (id, version, change) => writer.write('change', id, version, change, Date.now()),
    list: async (filter = {}) => conversations.list(filter),
    async addIdempotencyKey(key, keepMs) {
      const now = Date.now();
      return marks.isMarked(key, now) ? false : writer.write('mark', key, now + keepMs, now);
    },
    hasIdempotencyKey: async (key) => marks.isMarked(key, Date.now()),
    removeIdempotencyKey: (key) => writer.write('unmark', key),
    cursor: async (name) => marks.cursor(name),
    moveCursor: (name, from, to) => writer.write('moveCursor', name, from, to),
    lease(name, owner, forMs) {
      const now = Date.now();
      return writer.write('lease', name, owner, now + forMs, now);
    },
    release: (name, owner) => writer.write('letGo', name, owner),
    forget: (personId) => writer.write('forgetConversations', personId),
    async prune(endedBefore) {
      let removed = 0;
      for (let more = true; more; ) {
        const before = endedBefore.getTime();
        const [ended, expired] = await writer.write('pruneConversations', before, AT_ONCE, Date.now());
        removed += ended ?? 0;
        more = ended === AT_ONCE || expired === AT_ONCE;
      }
      return removed;
    },
  };
}
