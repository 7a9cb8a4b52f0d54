import { HandoffKitError } from '../../internal/index.js';
import type { ItemFilter, QueueName, StoredItem, StoredItemDetails, StoredQueues } from '../stored-queues.js';
import { checkConnection, type PostgresConnection } from './connection.js';
import { type Database, openDatabase, QUEUES, type Row } from './database.js';
import { createHandoffStore } from './handoff-store.js';
import { type JobData, type JobOutput, laneOf, readText } from './job.js';
import { checkBossInstalled } from './load-boss.js';
import { createPeople } from './people.js';
import { createShelf } from './shelf.js';
import { createSignals, type Signals } from './signals.js';

/** The engine's states, by ours. What is dead it calls cancelled: that does not hold up what came later. */
const IN_STATE: Readonly<Record<StoredItem['state'], string>> = {
  waiting: "state IN ('created', 'retry', 'active')",
  done: "state = 'completed'",
  dead: "state = 'cancelled' AND id IN (SELECT id FROM $schema.parked WHERE queue = $1)",
};

/** Forgetting is done by hand, and may take its time. */
const FORGET_WITHIN_MS = 60_000;

/** Opens the queues of a database, for looking into them. It connects when it is first asked something. */
export function openPostgresQueues(connection: string | PostgresConnection): StoredQueues {
  checkBossInstalled();
  const where = typeof connection === 'string' ? { connectionString: connection } : connection;
  const ignore = (): void => {};
  const database = openDatabase({ connection: checkConnection(where), onTrouble: ignore });
  const signals = createSignals(database, ignore);
  return createStoredQueues(database, signals, async () => {
    await signals.stop();
    await database.close();
  });
}

/**
 * Makes {@link StoredQueues} of a database. A dead item that is let go again comes before what waits in its
 * conversation, except for an item that was begun and waits for its next attempt: that one comes first.
 */
export function createStoredQueues(
  database: Database,
  signals: Signals,
  close: () => Promise<void>,
): StoredQueues {
  const people = createPeople(database);
  const shelf = createShelf({ database, timeoutMs: FORGET_WITHIN_MS, tell: () => undefined });
  const handoffs = createHandoffStore({ database, timeoutMs: FORGET_WITHIN_MS, keepContent: false });
  const sql = (text: string): string => text.replaceAll('$schema', database.schema);
  const columns = 'id, state::text AS state, data, retry_count, started_on, output, created_on';
  const unpark = sql('DELETE FROM $schema.parked WHERE queue = $1 AND id = $2');
  const lockDead = sql(
    "SELECT data, retry_count FROM $schema.job WHERE name = $1 AND id = $2 AND state = 'cancelled' FOR UPDATE",
  );

  const select = (queue: QueueName, { state, conversationId, limit = 100 }: ItemFilter) => {
    const conditions = [
      'name = $1',
      ...(state === undefined ? [] : [IN_STATE[state]]),
      ...(conversationId === undefined ? [] : ['singleton_key = $3']),
    ];
    const where = conditions.join(' AND ');
    const text = `SELECT ${columns} FROM $schema.job WHERE ${where} ORDER BY created_on, id LIMIT $2`;
    const lane = conversationId === undefined ? [] : [laneOf(conversationId)];
    return database.run(sql(text), [queue, limit, ...lane]);
  };

  return {
    list: async (queue, filter = {}) => (await select(queue, filter)).map((row) => toStored(queue, row)),
    async show(queue, id) {
      if (!isId(id)) return null;
      const text = sql(`SELECT ${columns} FROM $schema.job WHERE name = $1 AND id = $2`);
      const [row] = await database.run(text, [queue, id]);
      return row ? toDetails(queue, row) : null;
    },
    async retry(queue, id) {
      if (!isId(id)) return false;
      const revived = await database.together(async (boss, db) => {
        const { rows } = await db.executeSql(lockDead, [queue, id]);
        const [row] = rows as Row[];
        if (!row) return false;
        const data = row.data as JobData;
        await boss.resume(queue, id, { db });
        const fresh = { ...data, before: Number(row.retry_count) + 1 };
        await boss.update(queue, fresh, { id, startAfter: 0, deleteAfterSeconds: data.rememberS, db });
        await db.executeSql(unpark, [queue, id]);
        return true;
      });
      if (revived) signals.send(queue);
      return revived;
    },
    async discard(queue, id) {
      if (!isId(id)) return false;
      return database.together(async (boss, db) => {
        const { rows } = await db.executeSql(lockDead, [queue, id]);
        if (rows.length === 0) return false;
        await boss.deleteJob(queue, id, { db });
        await db.executeSql(unpark, [queue, id]);
        return true;
      });
    },
    async forget(personId) {
      const lanes = await people.lanesOf(personId);
      const remove = sql(
        `WITH gone AS (DELETE FROM $schema.job WHERE name = $1 AND singleton_key = ANY($2::text[]) RETURNING id),
         unparked AS (DELETE FROM $schema.parked WHERE queue = $1 AND id IN (SELECT id FROM gone))
         SELECT count(*) AS count FROM gone`,
      );
      const removed = await Promise.all(QUEUES.map((queue) => database.run(remove, [queue, lanes])));
      await shelf.forgetLanes(lanes);
      const conversations = await handoffs.forget(personId);
      await people.forget(personId);
      return removed.flat().reduce((sum, { count }) => sum + Number(count), conversations);
    },
    async depth(queue) {
      const text = sql(
        `SELECT count(*) AS waiting, min(created_on) AS oldest,
           (SELECT count(*) FROM $schema.parked WHERE queue = $1) AS dead
         FROM $schema.job WHERE name = $1 AND ${IN_STATE.waiting}`,
      );
      const [row] = await database.run(text, [queue]);
      const oldest = row?.oldest;
      return {
        waiting: Number(row?.waiting),
        dead: Number(row?.dead),
        oldestAt: oldest instanceof Date ? oldest : null,
      };
    },
    async check() {
      const [row] = await database.run(
        "SELECT pg_current_xact_id() AS written, current_setting('transaction_read_only')::boolean AS frozen",
        [],
      );
      if (row?.frozen === true) {
        throw new HandoffKitError('DATABASE_READ_ONLY', 'the database may only be read at the moment.');
      }
    },
    close,
  };
}

const isId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

function stateOf(state: unknown): StoredItem['state'] {
  if (state === 'completed') return 'done';
  return state === 'cancelled' ? 'dead' : 'waiting';
}

function toStored(queue: QueueName, row: Row): StoredItem {
  const data = row.data as JobData;
  const { error } = (row.output ?? {}) as Partial<JobOutput>;
  return {
    id: String(row.id),
    queue,
    state: stateOf(row.state),
    conversationId: readText(data.lane),
    what: data.what,
    attempts: row.started_on === null ? 0 : Number(row.retry_count) + 1 - data.before,
    error: error === undefined ? null : readText(error),
    createdAt: new Date(row.created_on as Date),
  };
}

function toDetails(queue: QueueName, row: Row): StoredItemDetails {
  const { content } = row.data as JobData;
  const stored: unknown = content === undefined ? null : JSON.parse(content);
  const body = queue === 'inbox' ? (stored as { body?: unknown } | null)?.body : stored;
  return { ...toStored(queue, row), content: body ?? null };
}
