import type { QueueName } from './queue.js';
import type { ForgetHook, SqlDatabase, SqlRow, SqlStatement, SqlValue } from './sql.js';
import { conversationKey, decodeText, digestText } from './text.js';

/** A job as an operator sees it. */
export interface StoredJob {
  readonly id: string;
  readonly queue: QueueName;
  /** `waiting` for its turn, running or waiting for its next attempt; `dead` after too many failures; `done`. */
  readonly state: 'waiting' | 'done' | 'dead';
  readonly conversationId: string;
  /** The event's name, or `reply` or `close`. */
  readonly what: string;
  /** Attempts so far that failed or were interrupted. */
  readonly attempts: number;
  /** The error of the last failed attempt. */
  readonly error: string | null;
  readonly createdAt: Date;
}

/** A job with its content. */
export interface StoredJobDetails extends StoredJob {
  /** The event's idempotency key; `null` for a reply. */
  readonly key: string | null;
  /** The event's body, or the reply. Content that cannot be parsed is shown as text. */
  readonly content: unknown;
}

/** The number of jobs in a queue, by state. */
export interface QueueDepth {
  readonly waiting: number;
  readonly dead: number;
  /** When the oldest waiting job was added, or `null`. */
  readonly oldestAt: Date | null;
}

/** Which jobs to list. */
export interface JobFilter {
  readonly state?: StoredJob['state'];
  readonly conversationId?: string;
  /** The most jobs to list, the oldest first. Default 100. */
  readonly limit?: number;
}

/** Inspects and repairs the queues, also while receivers work on them. */
export interface QueueAdmin {
  /** Lists jobs. Jobs that are done are there only where `keepContent` is set. */
  list(queue: QueueName, filter?: JobFilter): Promise<StoredJob[]>;
  show(queue: QueueName, id: string): Promise<StoredJobDetails | null>;
  /**
   * Retries a dead letter, before later jobs of its conversation. For a job that waits, its conversation continues now
   * instead of after its delay. `false`: there is no such job, or it is done.
   */
  retry(queue: QueueName, id: string): Promise<boolean>;
  /** Removes a dead letter. `false`: it is not dead. */
  discard(queue: QueueName, id: string): Promise<boolean>;
  /**
   * Removes all data of a user's conversations: jobs in every state, the conversations, and their data in other
   * stores. Resolves to how many jobs and conversations were removed.
   */
  forget(userId: string): Promise<number>;
  depth(queue: QueueName): Promise<QueueDepth>;
  /** Rejects when nothing can be written: the database is unreachable, its disk is full, or it is read-only. */
  check(): Promise<void>;
}

/** A database that was opened without a receiver. */
export interface OpenDatabase {
  readonly sql: SqlDatabase;
  readonly queues: QueueAdmin;
  readonly close: () => Promise<void>;
}

/** Conversations per transaction; larger batches would block other writers. */
const BATCH_SIZE = 100;

/** Creates a {@link QueueAdmin} on a database that is open. */
export function createQueueAdmin(database: SqlDatabase, forgetHooks: readonly ForgetHook[]): QueueAdmin {
  const { table, list, now } = database;
  const jobs = table('job');
  const columns =
    'seq, queue, state, conversation, type, attempts, interruptions, error, created_at, content';

  /**
   * Removes a conversation's jobs with their keys. Heads are locked first (and created if missing), so that no job
   * is added meanwhile: its head would be removed, and the job would never run.
   */
  const removeJobs = (conversations: readonly string[]): SqlStatement[] => {
    const values = [JSON.stringify(conversations)];
    const those = `conversation IN ${list('$1')}`;
    // The indexes of jobs and heads begin with the queue.
    const inQueues = `queue IN ('inbox', 'outbox') AND ${those}`;
    const lock = `INSERT INTO ${table('head')} AS h (queue, conversation, jobs, due_at)
      SELECT queue, item, 0, ${now} FROM (VALUES ('inbox'), ('outbox')) AS queues (queue), ${list('$1')} AS items
      ORDER BY queue, item COLLATE "C"
      ON CONFLICT (queue, conversation) DO UPDATE SET jobs = h.jobs`;
    return [
      ...(database.dialect === 'postgres' ? [{ sql: lock, values }] : []),
      {
        sql: `DELETE FROM ${table('seen_key')} WHERE seq IN (SELECT seq FROM ${jobs} WHERE ${inQueues})`,
        values,
      },
      { sql: `DELETE FROM ${jobs} WHERE ${inQueues} RETURNING 1 AS one`, values },
      { sql: `DELETE FROM ${table('head')} WHERE ${inQueues}`, values },
      { sql: `DELETE FROM ${table('user_conversation')} WHERE ${those}`, values },
      { sql: `DELETE FROM ${table('conversation')} WHERE ${those} RETURNING 1 AS one`, values },
    ];
  };

  /** Makes the conversation of a waiting job due. `false`: the job does not wait. */
  const endDelay = async (queue: QueueName, id: string): Promise<boolean> => {
    const [job] = await database.read(
      `SELECT conversation FROM ${jobs} WHERE seq = $1 AND queue = $2 AND state = 'waiting'`,
      [Number(id), queue],
    );
    if (!job) return false;
    await database.write(
      `UPDATE ${table('head')} SET due_at = ${now}, delay_ms = 0
       WHERE queue = $1 AND conversation = $2 AND owner IS NULL`,
      [queue, String(job.conversation)],
    );
    return true;
  };

  return {
    async list(queue, { state, conversationId, limit = 100 } = {}) {
      const values: SqlValue[] = [queue, limit];
      const conditions = [
        'queue = $1',
        ...(state === undefined ? [] : [`state = $${values.push(state)}`]),
        ...(conversationId === undefined
          ? []
          : [`conversation = $${values.push(conversationKey(conversationId))}`]),
      ].join(' AND ');
      const sql = `SELECT ${columns} FROM ${jobs} WHERE ${conditions} ORDER BY seq LIMIT $2`;
      return (await database.read(sql, values)).map((row) => toJob(row));
    },
    async show(queue, id) {
      if (!isId(id)) return null;
      const [row] = await database.read(`SELECT ${columns} FROM ${jobs} WHERE seq = $1 AND queue = $2`, [
        Number(id),
        queue,
      ]);
      return row ? toDetails(row) : null;
    },
    async retry(queue, id) {
      if (!isId(id)) return false;
      const done = await database.transaction([
        {
          sql: `UPDATE ${jobs} SET state = 'waiting', attempts = 0, interruptions = 0, crashes = 0
            WHERE seq = $1 AND queue = $2 AND state = 'dead' RETURNING 1 AS one`,
          values: [Number(id), queue],
          required: true,
        },
        {
          sql: `INSERT INTO ${table('head')} AS h (queue, conversation, jobs, due_at)
            SELECT queue, conversation, 1, ${now} FROM ${jobs} WHERE seq = $1
            ON CONFLICT (queue, conversation) DO UPDATE SET jobs = h.jobs + 1, due_at = excluded.due_at, delay_ms = 0`,
          values: [Number(id)],
        },
      ]);
      const isRetried = done !== null || (await endDelay(queue, id));
      if (isRetried) database.publish(queue);
      return isRetried;
    },
    async discard(queue, id) {
      if (!isId(id)) return false;
      const done = await database.transaction([
        {
          sql: `DELETE FROM ${jobs} WHERE seq = $1 AND queue = $2 AND state = 'dead' RETURNING 1 AS one`,
          values: [Number(id), queue],
          required: true,
        },
        { sql: `DELETE FROM ${table('seen_key')} WHERE seq = $1`, values: [Number(id)] },
      ]);
      return done !== null;
    },
    async forget(userId) {
      const digest = digestText(userId);
      const rows = await database.read(
        `SELECT conversation FROM ${table('user_conversation')} WHERE user_id = $1
         UNION SELECT conversation FROM ${table('conversation')} WHERE user_id = $1 OR anonymous_id = $1`,
        [digest],
      );
      const all = rows.map(({ conversation }) => String(conversation));
      let removed = 0;
      for (let from = 0; from < all.length; from += BATCH_SIZE) {
        const some = all.slice(from, from + BATCH_SIZE);
        // Other stores first: they are found through the rows that are deleted below.
        for (const hook of forgetHooks) await hook(some);
        const [conversations, , , jobsRemoved] = (
          (await database.transaction(removeJobs(some))) ?? []
        ).toReversed();
        removed += (conversations?.length ?? 0) + (jobsRemoved?.length ?? 0);
      }
      return removed;
    },
    async depth(queue) {
      const [row] = await database.read(
        `SELECT (SELECT coalesce(sum(jobs), 0) FROM ${table('head')} WHERE queue = $1) AS waiting,
          (SELECT count(*) FROM ${jobs} WHERE queue = $1 AND state = 'dead') AS dead,
          (SELECT min(created_at) FROM ${jobs} WHERE queue = $1 AND state = 'waiting') AS oldest`,
        [queue],
      );
      const oldest = row?.oldest ?? null;
      return {
        waiting: Number(row?.waiting),
        dead: Number(row?.dead),
        oldestAt: oldest === null ? null : new Date(Number(oldest)),
      };
    },
    async check() {
      await database.write(
        `INSERT INTO ${table('task_lease')} (name, owner, expires_at) VALUES ('check', '', 0)
         ON CONFLICT (name) DO UPDATE SET expires_at = 0`,
      );
    },
  };
}

const isId = (id: string): boolean => /^\d{1,15}$/.test(id);

interface StoredContent {
  readonly key?: string;
  readonly conversationId?: string;
  readonly body?: unknown;
}

function parseContent({ content }: SqlRow): StoredContent | string {
  try {
    return JSON.parse(String(content)) as StoredContent;
  } catch {
    return String(content);
  }
}

function toJob(row: SqlRow): StoredJob {
  const content = parseContent(row);
  const inContent = typeof content === 'string' ? undefined : content.conversationId;
  return {
    id: String(row.seq),
    queue: row.queue as QueueName,
    state: row.state as StoredJob['state'],
    conversationId: inContent ?? decodeText(row.conversation),
    what: String(row.type),
    attempts: Number(row.attempts) + Number(row.interruptions),
    error: row.error === null ? null : decodeText(row.error),
    createdAt: new Date(Number(row.created_at)),
  };
}

function toDetails(row: SqlRow): StoredJobDetails {
  const content = parseContent(row);
  if (typeof content === 'string') return { ...toJob(row), key: null, content };
  const { key = null, body = null } = content;
  return { ...toJob(row), key, content: row.queue === 'inbox' ? body : content };
}
