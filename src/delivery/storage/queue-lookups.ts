import type { JobStatus, Queue } from '../queue.js';
import { decodeText, digestKey } from './encoding.js';
import type { SqlDatabase, SqlRow, SqlValue } from './sql.js';

interface QueueDatabase extends Pick<SqlDatabase, 'table' | 'list'> {
  readonly read: (sql: string, values: readonly SqlValue[]) => Promise<SqlRow[]>;
}

/** The part of a queue that only reads, in the SQL that both databases share. `owner` identifies this process. */
export function createQueueLookups(
  { read, table, list }: QueueDatabase,
  queue: string,
  owner: () => string,
): Pick<Queue, 'holds' | 'has' | 'statusOf'> {
  return {
    async holds({ conversation, claim }) {
      const sql = `SELECT 1 AS one FROM ${table('head')} WHERE queue = $1 AND conversation = $2 AND owner = $3 AND claim = $4`;
      return (await read(sql, [queue, conversation, owner(), claim])).length > 0;
    },
    async has(key) {
      const sql = `SELECT 1 AS one FROM ${table('seen_key')} WHERE digest = $1`;
      return (await read(sql, [digestKey(queue, key)])).length > 0;
    },
    async statusOf(ids) {
      const rows = await read(
        `SELECT k.seq, j.state, j.error FROM ${table('seen_key')} k LEFT JOIN ${table('job')} j ON j.seq = k.seq
         WHERE k.seq IN (SELECT CAST(item AS bigint) FROM ${list('$1')} AS items)`,
        [JSON.stringify(ids)],
      );
      const byId = new Map(rows.map((row) => [String(row.seq), row]));
      return ids.map((id) => toStatus(byId.get(id)));
    },
  };
}

/** A job that is done is removed, unless its content is kept; its key stays. */
function toStatus(row: SqlRow | undefined): JobStatus {
  if (!row) return { state: 'gone' };
  if (row.state === 'dead') return { state: 'dead', error: decodeText(row.error) };
  return { state: row.state === 'waiting' ? 'waiting' : 'done' };
}
