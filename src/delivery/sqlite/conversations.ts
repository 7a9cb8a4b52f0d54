import {
  type Conversation,
  type ConversationChange,
  type ConversationFilter,
  type CreateResult,
  firstConversation,
  type NewConversation,
  nextConversation,
} from '../../handoff/index.js';
import { listStatement, restoreConversation, storeConversation } from '../stored-conversation.js';
import { toText } from '../text.js';
import type { Database, Row, SqlValue } from './database.js';

/** The statements about handed-over conversations. Those that write are to be run within a transaction. */
export interface ConversationTable {
  /** Adds a conversation, unless its id is known. */
  add(conversation: NewConversation, now: number): CreateResult;
  get(id: string): Conversation | null;
  byLink(adapter: string, externalId: string): Conversation | null;
  /** Changes the conversation of this version; `null` when there is none. */
  change(id: string, version: number, change: ConversationChange, now: number): Conversation | null;
  list(filter: ConversationFilter): Conversation[];
  /** Removes the conversations of a person; tells how many. */
  forget(personId: string): number;
  /** Forgets up to `limit` conversations that ended before a time; tells how many. */
  prune(endedBefore: number, limit: number): number;
}

/** Makes the statements. */
export function createConversationTable(database: Database, keepContent: boolean): ConversationTable {
  const insert = database.prepare(
    `INSERT INTO conversation
       (lane, version, state, user_key, user_id, anonymous_id, adapter, external_id, requested_at, changed_at, ended_at, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE conversation SET version = ?, state = ?, user_key = ?, user_id = ?, anonymous_id = ?, adapter = ?,
       external_id = ?, requested_at = ?, changed_at = ?, ended_at = ?, content = ? WHERE lane = ?`,
  );
  const find = database.prepare('SELECT content FROM conversation WHERE lane = ?');
  const findVersion = database.prepare('SELECT content FROM conversation WHERE lane = ? AND version = ?');
  const findLink = database.prepare(
    'SELECT content FROM conversation WHERE adapter = ? AND external_id = ? ORDER BY requested_at DESC, lane DESC LIMIT 1',
  );
  const removeOf = database.prepare('DELETE FROM conversation WHERE user_id = ? OR anonymous_id = ?');
  const removeEnded = database.prepare(
    'DELETE FROM conversation WHERE lane IN (SELECT lane FROM conversation WHERE ended_at < ? LIMIT ?)',
  );

  return {
    add(conversation, now) {
      const first = firstConversation(conversation, now);
      const { changes } = insert.run(toText(first.id), ...columnsOf(first));
      return { conversation: restore(find.get(toText(first.id))) ?? first, created: Number(changes) > 0 };
    },
    get: (id) => restore(find.get(toText(id))),
    byLink: (adapter, externalId) => restore(findLink.get(toText(adapter), toText(externalId))),
    change(id, version, change, now) {
      const found = restore(findVersion.get(toText(id), version));
      if (!found) return null;
      const next = nextConversation(found, change, { now, keepContent });
      update.run(...columnsOf(next), toText(id));
      return next;
    },
    list(filter) {
      if (filter.states?.length === 0) return [];
      const values: SqlValue[] = [];
      const value = (each: SqlValue): string => {
        values.push(each);
        return `?${values.length}`;
      };
      const encoded = filter.adapter === undefined ? filter : { ...filter, adapter: toText(filter.adapter) };
      const sql = listStatement(encoded, { table: 'conversation', value, userKey: toText, lane: toText });
      return database
        .prepare(sql)
        .all(...values)
        .map(({ content }) => restoreConversation(content));
    },
    forget: (personId) => Number(removeOf.run(toText(personId), toText(personId)).changes),
    prune: (endedBefore, limit) => Number(removeEnded.run(endedBefore, limit).changes),
  };
}

const restore = (row: Row | undefined): Conversation | null =>
  row ? restoreConversation(row.content) : null;

const textOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : toText(text);

/** What is looked for, and the whole of it. */
function columnsOf(conversation: Conversation): SqlValue[] {
  const { version, state, user, link, closure, requestedAt, changedAt } = conversation;
  return [
    version,
    state,
    toText(user.key),
    textOrNull(user.userId),
    textOrNull(user.anonymousId),
    textOrNull(link?.adapter),
    textOrNull(link?.externalId),
    requestedAt.getTime(),
    changedAt.getTime(),
    closure?.at.getTime() ?? null,
    storeConversation(conversation),
  ];
}
