import type { HandoffStore } from '../../handoff/index.js';
import { readQueueNames, sqlList } from './encoding.js';
import type { SqlDatabase } from './sql.js';

interface RetentionOptions {
  readonly database: SqlDatabase;
  readonly handoffs: HandoffStore;
  /** How long finished jobs, their keys and closed conversations are remembered. */
  readonly rememberMs: number;
  readonly onError: (error: unknown) => void;
}

const LONGEST_INTERVAL_MS = 60_000;

/** Rows per statement, and the pause between two, so that other writers can run. */
const BATCH_SIZE = 1_000;
const PAUSE_MS = 10;

/** `seen_at` is updated at most once in this time, so it can be this old for a user who just wrote. */
export const USER_NOTED_MS = 3_600_000;

/** Deletes expired rows in small batches. Returns a function that stops it. */
export function startRetention({ database, handoffs, rememberMs, onError }: RetentionOptions): () => void {
  const intervalMs = Math.min(LONGEST_INTERVAL_MS, rememberMs);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** Where the next batch of keys starts. */
  let afterSeq = 0;
  /** A clock that is set forward while the process runs would make everything expire at once. */
  const startedAt = Date.now() - performance.now();
  const now = (): number => Math.floor(Math.min(Date.now(), startedAt + performance.now()));

  const sweep = async (): Promise<void> => {
    let isMore = false;
    try {
      const before = now() - rememberMs;
      const nextSeq = await removeExpiredKeys(database, before, afterSeq);
      afterSeq = nextSeq ?? 0;
      isMore = (await removeIdle(database, before)) || nextSeq !== null;
      if (!isMore) await handoffs.prune(new Date(before));
    } catch (error) {
      if (!stopped) onError(error);
    }
    if (!stopped) timer = setTimeout(() => void sweep(), isMore ? PAUSE_MS : intervalMs).unref();
  };
  void sweep();

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/**
 * Removes expired keys, with the jobs that are done, from one batch of keys. Resolves to where the next batch starts;
 * `null` when the rest is young: keys are in the order of `seq`, near enough. Jobs that wait or are dead stay.
 */
async function removeExpiredKeys(
  database: SqlDatabase,
  before: number,
  afterSeq: number,
): Promise<number | null> {
  const { table, list } = database;
  const keys = await database.read(
    `SELECT s.seq, s.seen_at, j.seq IS NOT NULL AS is_open FROM ${table('seen_key')} s
     LEFT JOIN ${table('job')} j ON j.seq = s.seq AND j.state <> 'done'
     WHERE s.seq > $1 ORDER BY s.seq LIMIT ${BATCH_SIZE}`,
    [afterSeq],
  );
  const firstYoung = keys.findIndex(({ seen_at: seenAt }) => Number(seenAt) >= before);
  const old = firstYoung === -1 ? keys : keys.slice(0, firstYoung);
  const expired = old.filter(({ is_open: isOpen }) => !Number(isOpen)).map(({ seq }) => Number(seq));
  if (expired.length > 0) {
    const values = [JSON.stringify(expired)];
    const isExpired = `seq IN (SELECT CAST(item AS bigint) FROM ${list('$1')} AS items)`;
    await database.transaction([
      { sql: `DELETE FROM ${table('job')} WHERE ${isExpired} AND state = 'done'`, values },
      { sql: `DELETE FROM ${table('seen_key')} WHERE ${isExpired}`, values },
    ]);
  }
  return old.length === BATCH_SIZE ? Number(old.at(-1)?.seq) : null;
}

/** Removes one batch of users and heads whose conversations are idle. Resolves to whether there may be more. */
async function removeIdle(database: SqlDatabase, before: number): Promise<boolean> {
  const queues = sqlList(await readQueueNames(database));
  // The user of a conversation stays known until all its data is deleted: `forget` needs it.
  const users = await database.write(
    `DELETE FROM ${database.table('user_conversation')} WHERE (user_id, conversation) IN (
       SELECT user_id, conversation FROM ${database.table('user_conversation')} u WHERE seen_at < $1
         AND NOT EXISTS (SELECT 1 FROM ${database.table('job')} j WHERE j.queue IN (${queues}) AND j.conversation = u.conversation)
       LIMIT ${BATCH_SIZE}) RETURNING 1 AS one`,
    [before - USER_NOTED_MS],
  );
  // Only PostgreSQL leaves the heads of idle conversations behind: see the queue there.
  if (database.dialect === 'sqlite') return users.length === BATCH_SIZE;
  // It must not wait for a lock here, since it locks heads in no order.
  const heads = await database.write(
    `WITH idle AS (
       SELECT queue, conversation FROM ${database.table('head')}
       WHERE jobs = 0 AND owner IS NULL AND due_at < $1 LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
     DELETE FROM ${database.table('head')} WHERE (queue, conversation) IN (SELECT queue, conversation FROM idle)
     RETURNING 1 AS one`,
    [Date.now() - LONGEST_INTERVAL_MS],
  );
  return [users, heads].some(({ length }) => length === BATCH_SIZE);
}
