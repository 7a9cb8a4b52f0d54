import type { ItemFilter, QueueName, StoredItem, StoredItemDetails, StoredQueues } from '../stored-queues.js';
import { fromText, toText } from '../text.js';
import { createConversationTable } from './conversations.js';
import { type Database, openDatabase, type Row } from './database.js';
import { createGroupCommit, type GroupCommit } from './group-commit.js';
import { createPeople } from './people.js';
import { createShelf, type SqliteShelf } from './shelf.js';

/** Written out, since a partial index is used only where its condition stands in the query. */
const IN_STATE: Readonly<Record<StoredItem['state'], string>> = {
  waiting: "state = 'waiting'",
  done: "state = 'done'",
  dead: "state = 'dead'",
};

/** Nobody watches a shelf that is opened for looking into queues. */
const NEVER = 2 ** 31 - 1;

/** Opens the queues of a database file, for looking into them. */
export function openSqliteQueues(file: string): StoredQueues {
  const database = openDatabase(file);
  const commit = createGroupCommit(database);
  return createStoredQueues(database, commit, createShelf(database, commit, NEVER), () => database.close());
}

/** Makes {@link StoredQueues} of a database that is open. */
export function createStoredQueues(
  database: Database,
  commit: GroupCommit,
  shelf: Pick<SqliteShelf, 'forgetLanes'>,
  close: () => void,
): StoredQueues {
  const people = createPeople(database);
  const conversations = createConversationTable(database, false);
  const sql = (queue: QueueName, text: string) => database.prepare(text.replaceAll('$queue', queue));

  const select = (queue: QueueName, { state, conversationId, limit = 100 }: ItemFilter): Row[] => {
    const conditions = [
      ...(state === undefined ? [] : [IN_STATE[state]]),
      ...(conversationId === undefined ? [] : ['lane = ?']),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = conversationId === undefined ? [] : [toText(conversationId)];
    return sql(queue, `SELECT * FROM $queue ${where} ORDER BY seq LIMIT ?`).all(...values, limit);
  };

  return {
    list: async (queue, filter = {}) => select(queue, filter).map((row) => toStored(queue, row)),
    async show(queue, id) {
      const row = sql(queue, 'SELECT * FROM $queue WHERE seq = ?').get(id);
      return row ? toDetails(queue, row) : null;
    },
    retry: (queue, id) =>
      commit.write(() => {
        const revive =
          "UPDATE $queue SET state = 'waiting', attempts = 0 WHERE seq = ? AND state = 'dead' RETURNING lane";
        const row = sql(queue, revive).get(id);
        if (!row) return false;
        const open =
          'INSERT INTO $queue_lane (lane, due_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET due_at = excluded.due_at';
        sql(queue, open).run(String(row.lane), Date.now());
        return true;
      }),
    discard: (queue, id) =>
      commit.write(() => {
        const { changes } = sql(queue, "DELETE FROM $queue WHERE seq = ? AND state = 'dead'").run(id);
        return Number(changes) > 0;
      }),
    forget: (personId) =>
      commit.write(() => {
        const lanes = people.lanesOf(personId);
        const removed = (['inbox', 'outbox'] as const).flatMap((queue) => {
          const remove = sql(queue, 'DELETE FROM $queue WHERE lane = ?');
          return lanes.map((lane) => Number(remove.run(toText(lane)).changes));
        });
        shelf.forgetLanes(lanes);
        for (const lane of lanes) people.forget(lane);
        return removed.reduce((sum, count) => sum + count, conversations.forget(personId));
      }),
    async depth(queue) {
      const count = sql(
        queue,
        "SELECT (SELECT count(*) FROM $queue WHERE state = 'waiting') AS waiting, (SELECT count(*) FROM $queue WHERE state = 'dead') AS dead, (SELECT created_at FROM $queue WHERE seq = (SELECT min(seq) FROM $queue INDEXED BY $queue_turn WHERE state = 'waiting')) AS oldest",
      ).get();
      const oldest = count?.oldest ?? null;
      return {
        waiting: Number(count?.waiting),
        dead: Number(count?.dead),
        oldestAt: oldest === null ? null : new Date(Number(oldest)),
      };
    },
    check: () =>
      commit.write(() => {
        const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
        // To say again what holds changes nothing, and is written all the same.
        database.exec(`PRAGMA user_version = ${version}`);
      }),
    close: async () => close(),
  };
}

interface StoredContent {
  readonly name?: string;
  readonly kind?: string;
  readonly body?: unknown;
}

const contentOf = (row: Row): StoredContent | null =>
  typeof row.content === 'string' ? (JSON.parse(row.content) as StoredContent) : null;

function toStored(queue: QueueName, row: Row): StoredItem {
  const content = contentOf(row);
  return {
    id: String(row.seq),
    queue,
    state: row.state as StoredItem['state'],
    conversationId: fromText(row.lane),
    what: content?.name ?? content?.kind ?? '',
    attempts: Number(row.attempts),
    error: row.error === null ? null : String(row.error),
    createdAt: new Date(Number(row.created_at)),
  };
}

function toDetails(queue: QueueName, row: Row): StoredItemDetails {
  const content = contentOf(row);
  return { ...toStored(queue, row), content: queue === 'inbox' ? (content?.body ?? null) : content };
}
