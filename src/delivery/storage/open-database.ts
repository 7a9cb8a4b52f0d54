import type { Conversation } from '../../events/index.js';
import { restoreConversation } from './handoff-store.js';
import { createQueueAdmin, type QueueAdmin, type StoredJobDetails, toDetails } from './queue-admin.js';
import type { SqlDatabase, SqlRow, SqlValue } from './sql.js';
import type { EngineDefaults, EngineSettings, StorageEngine } from './storage-engine.js';

/** A job or a handed-over conversation, as {@link OpenDatabase.records} gives it. */
export type StoredRecord =
  | ({ readonly type: 'job' } & StoredJobDetails)
  | ({ readonly type: 'conversation' } & Conversation);

/** A database that was opened without a receiver, for an operator. */
export interface OpenDatabase {
  readonly sql: SqlDatabase;
  /** The queues of all receivers. */
  readonly queues: QueueAdmin;
  /**
   * Every job and every handed-over conversation with its content, the oldest jobs first. Jobs that finish meanwhile may
   * be missing.
   */
  records(): AsyncIterable<StoredRecord>;
  /** The number of conversations with a waiting job that no process would ever claim: 0 in a sound database. */
  stuckConversations(): Promise<number>;
  readonly close: () => Promise<void>;
}

/** Rows that are read at once. */
const PAGE_SIZE = 500;

/** The settings of an engine that runs no worker. */
export const operatorSettings = ({ leaseMs, pollMs }: EngineDefaults): EngineSettings => ({
  keepContent: false,
  leaseMs,
  pollMs,
  onError: () => undefined,
});

export async function openForOperator(engine: StorageEngine): Promise<OpenDatabase> {
  const { sql, forgetHooks, open, close } = engine;
  try {
    await open();
  } catch (error) {
    await close();
    throw error;
  }
  const jobs = sql.table('job');
  const conversations = sql.table('conversation');
  const page = (from: string, key: string, after: SqlValue): Promise<SqlRow[]> =>
    sql.read(`SELECT * FROM ${from} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${PAGE_SIZE}`, [after]);

  return {
    sql,
    queues: createQueueAdmin(sql, forgetHooks),
    close,
    async *records() {
      for (let rows = await page(jobs, 'seq', 0); rows.length > 0; ) {
        for (const row of rows) yield { type: 'job', ...toDetails(row) } as const;
        rows = await page(jobs, 'seq', Number(rows.at(-1)?.seq));
      }
      for (let rows = await page(conversations, 'conversation', ''); rows.length > 0; ) {
        for (const row of rows) yield { type: 'conversation', ...restoreConversation(row) } as const;
        rows = await page(conversations, 'conversation', String(rows.at(-1)?.conversation));
      }
    },
    async stuckConversations() {
      // A head that counts too few jobs is removed with the last one that it counts.
      const [row] = await sql.read(
        `SELECT count(*) AS stuck FROM (
           SELECT queue, conversation, count(*) AS jobs FROM ${jobs} WHERE state = 'waiting' GROUP BY queue, conversation
         ) AS waiting
         LEFT JOIN ${sql.table('head')} AS h ON h.queue = waiting.queue AND h.conversation = waiting.conversation
         WHERE coalesce(h.jobs, 0) < waiting.jobs`,
      );
      return Number(row?.stuck);
    },
  };
}
