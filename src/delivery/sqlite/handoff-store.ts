import type { HandoffStore } from '../../handoff/index.js';
import type { ConversationTable } from './conversations.js';
import type { GroupCommit } from './group-commit.js';
import type { Marks } from './marks.js';

/** What {@link createHandoffStore} needs. */
export interface HandoffStoreParts {
  readonly conversations: ConversationTable;
  readonly marks: Marks;
  readonly commit: GroupCommit;
}

/** Removed in one go; more would hold up those who write. */
const AT_ONCE = 1_000;

/** Makes a {@link HandoffStore} of the tables. What finds that there is nothing to write, writes nothing. */
export function createHandoffStore({ conversations, marks, commit }: HandoffStoreParts): HandoffStore {
  return {
    async claim(conversation) {
      const known = conversations.get(conversation.id);
      if (known) return { conversation: known, claimed: false };
      return commit.write(() => conversations.add(conversation, Date.now()));
    },
    get: async (id) => conversations.get(id),
    byLink: async (adapter, externalId) => conversations.byLink(adapter, externalId),
    change: (id, version, change) =>
      commit.write(() => conversations.change(id, version, change, Date.now())),
    list: async (filter = {}) => conversations.list(filter),
    async mark(key, keepMs) {
      if (marks.isMarked(key, Date.now())) return false;
      return commit.write(() => {
        const now = Date.now();
        return marks.mark(key, now + keepMs, now);
      });
    },
    isMarked: async (key) => marks.isMarked(key, Date.now()),
    unmark: (key) => commit.write(() => marks.unmark(key)),
    cursor: async (name) => marks.cursor(name),
    moveCursor: (name, from, to) => commit.write(() => marks.moveCursor(name, from, to)),
    lease: (name, owner, forMs) =>
      commit.write(() => {
        const now = Date.now();
        return marks.lease(name, owner, now + forMs, now);
      }),
    release: (name, owner) => commit.write(() => marks.release(name, owner)),
    forget: (personId) => commit.write(() => conversations.forget(personId)),
    async prune(endedBefore) {
      let removed = 0;
      for (let more = true; more; ) {
        const [ended, expired] = await commit.write(() => [
          conversations.prune(endedBefore.getTime(), AT_ONCE),
          marks.prune(Date.now(), AT_ONCE),
        ]);
        removed += ended ?? 0;
        more = ended === AT_ONCE || expired === AT_ONCE;
      }
      return removed;
    },
  };
}
