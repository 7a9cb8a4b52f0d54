import type { QueueName, StoredItem, StoredItemDetails, StoredQueues } from '../stored-queues.js';
import { fromText } from '../text.js';
import { type Database, openDatabase, type Row } from './database.js';
import { forgetPerson } from './forget.js';
import { createQueueReads } from './queue-reads.js';
import { openWriter, type Writer } from './writer.js';

/** Opens the queues of a database file, for looking into them. */
export function openSqliteQueues(file: string): StoredQueues {
  const database = openDatabase(file);
  return createStoredQueues(database, openWriter(database), () => database.close());
}

/** Makes {@link StoredQueues} of a database that is open. */
export function createStoredQueues(database: Database, writer: Writer, close: () => void): StoredQueues {
  const reads = { inbox: createQueueReads(database, 'inbox'), outbox: createQueueReads(database, 'outbox') };
  const settle = async (queue: QueueName): Promise<void> => {
    if (reads[queue].hasBatches()) await writer.write('settle');
  };
  return {
    async list(queue, filter = {}) {
      await settle(queue);
      return reads[queue].list(filter).map((row) => toStored(queue, row));
    },
    async show(queue, id) {
      await settle(queue);
      const row = reads[queue].show(id);
      return row ? toDetails(queue, row) : null;
    },
    retry: (queue, id) => writer.write('retry', queue, id, Date.now()),
    discard: (queue, id) => writer.write('discard', queue, id),
    forget: (personId) => forgetPerson(database, writer, personId),
    depth: async (queue) => reads[queue].depth(),
    check: () => writer.write('touch'),
    close: async () => close(),
  };
}

interface StoredContent {
  readonly name?: string;
  readonly kind?: string;
  readonly body?: unknown;
}

/** What cannot be read is shown as it lies there: who is to put it right must be able to list it. */
function contentOf({ content }: Row): StoredContent | null {
  if (typeof content !== 'string') return null;
  try {
    return JSON.parse(content) as StoredContent;
  } catch {
    return { body: content };
  }
}

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
