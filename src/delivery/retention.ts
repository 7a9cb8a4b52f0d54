import type { HandoffStore } from '../handoff/index.js';
import type { SqlDatabase } from './sql.js';

/** Options of {@link startRetention}. */
export interface RetentionOptions {
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

  const sweep = async (): Promise<void> => {
    let isMore = false;
    try {
      isMore = await removeExpired(database, Date.now() - rememberMs);
      if (!isMore) await handoffs.prune(new Date(Date.now() - rememberMs));
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

/** Removes one batch. Resolves to whether there may be more. */
async function removeExpired(database: SqlDatabase, before: number): Promise<boolean> {
  const { table, list } = database;
  const seen = table('seen_key');
  const jobs = table('job');

  // Keys are in the order of `seq`: the scan ends at the first that is young enough. Jobs that wait or are dead stay.
  const expired = await database.read(
    `SELECT seq FROM ${seen} s WHERE seen_at < $1
      AND seq < coalesce((SELECT seq FROM ${seen} WHERE seen_at >= $1 ORDER BY seq LIMIT 1), 9007199254740991)
      AND NOT EXISTS (SELECT 1 FROM ${jobs} j WHERE j.seq = s.seq AND j.state <> 'done')
     ORDER BY seq LIMIT ${BATCH_SIZE}`,
    [before],
  );
  if (expired.length > 0) {
    const values = [JSON.stringify(expired.map(({ seq }) => Number(seq)))];
    const those = `seq IN (SELECT CAST(item AS bigint) FROM ${list('$1')} AS items)`;
    await database.transaction([
      { sql: `DELETE FROM ${jobs} WHERE ${those} AND state = 'done'`, values },
      { sql: `DELETE FROM ${seen} WHERE ${those}`, values },
    ]);
  }

  // The user of a conversation stays known until all its data is deleted: `forget` needs it.
  const users = await database.write(
    `DELETE FROM ${table('user_conversation')} WHERE (user_id, conversation) IN (
       SELECT user_id, conversation FROM ${table('user_conversation')} u WHERE seen_at < $1
         AND NOT EXISTS (SELECT 1 FROM ${jobs} j WHERE j.queue IN ('inbox', 'outbox') AND j.conversation = u.conversation)
       LIMIT ${BATCH_SIZE}) RETURNING 1 AS one`,
    [before - USER_NOTED_MS],
  );
  // PostgreSQL leaves the heads of idle conversations behind: see the queue there.
  const heads = await database.write(
    `DELETE FROM ${table('head')} WHERE (queue, conversation) IN (
       SELECT queue, conversation FROM ${table('head')} WHERE jobs = 0 AND owner IS NULL AND due_at < $1 LIMIT ${BATCH_SIZE})
     AND jobs = 0 RETURNING 1 AS one`,
    [Date.now() - LONGEST_INTERVAL_MS],
  );
  return [expired, users, heads].some(({ length }) => length === BATCH_SIZE);
}
