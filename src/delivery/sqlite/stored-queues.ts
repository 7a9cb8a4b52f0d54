import type { ItemFilter, QueueName, StoredItem, StoredItemDetails, StoredQueues } from '../stored-queues.js';
import { fromText, toText } from '../text.js';
import { type Database, openDatabase, type Row } from './database.js';
import { openWriter, type Writer } from './writer.js';

/** Written out, since a partial index is used only where its condition stands in the query. */
const IN_STATE: Readonly<Record<StoredItem['state'], string>> = {
  waiting: "state = 'waiting'",
  done: "state = 'done'",
  dead: "state = 'dead'",
};

/** Opens the queues of a database file, for looking into them. */
export function openSqliteQueues(file: string): StoredQueues {
  const database = openDatabase(file);
  return createStoredQueues(database, openWriter(database), () => database.close());
}

/** Makes {@link StoredQueues} of a database that is open. */
export function createStoredQueues(database: Database, writer: Writer, close: () => void): StoredQueues {
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
    retry: (queue, id) => writer.write('retry', queue, id, Date.now()),
    discard: (queue, id) => writer.write('discard', queue, id),
    forget: (personId) => writer.write('forgetPerson', personId),
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
    check: () => writer.write('touch'),
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
