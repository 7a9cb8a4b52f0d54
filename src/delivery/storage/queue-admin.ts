import { botOfId, DEFAULT_BOT } from '../../events/index.js';
import type { QueueKind } from '../queue.js';
import {
  conversationKey,
  DEFAULT_RECEIVER,
  decodeText,
  digestText,
  queueNameOf,
  queueOwnerOf,
  readQueueNames,
  receiverOfKey,
  sqlList,
} from './encoding.js';
import type { ForgetHook, SqlDatabase, SqlRow, SqlStatement, SqlValue } from './sql.js';

/** A job as an operator sees it. */
export interface StoredJob {
  readonly id: string;
  readonly queue: QueueKind;
  /** The name of its receiver; `default` for one without a name. */
  readonly receiver: string;
  /** The bot whose event or reply it is; `default` in a receiver with one bot. */
  readonly bot: string;
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

/** The outbox of a bot. */
export interface OutboxDepth extends QueueDepth {
  /** The name of its receiver. */
  readonly receiver: string;
  readonly bot: string;
}

/** Which jobs to list. */
export interface JobFilter {
  readonly state?: StoredJob['state'];
  readonly conversationId?: string;
  /** The most jobs to list, the oldest first. Default 100. */
  readonly limit?: number;
}

/**
 * Inspects and repairs the queues, also while receivers work on them. That of a receiver has its own queues, with those of
 * all its bots; the command line has the queues of all receivers in a database.
 */
export interface QueueAdmin {
  /** Lists jobs. Jobs that are done are there only where `keepContent` is set. */
  list(queue: QueueKind, filter?: JobFilter): Promise<StoredJob[]>;
  show(queue: QueueKind, id: string): Promise<StoredJobDetails | null>;
  /**
   * Retries a dead letter, before later jobs of its conversation. For a job that waits, its conversation continues now
   * instead of after its delay. `false`: there is no such job, or it is done.
   */
  retry(queue: QueueKind, id: string): Promise<boolean>;
  /** Removes a dead letter. `false`: it is not dead. */
  discard(queue: QueueKind, id: string): Promise<boolean>;
  /**
   * Removes all data of a user's conversations: jobs in every state, the conversations, and their data in other
   * stores. With `bot`, only of conversations with that bot of several. Resolves to how many jobs and conversations
   * were removed.
   */
  forget(userId: string, options?: { readonly bot?: string | undefined }): Promise<number>;
  depth(queue: QueueKind): Promise<QueueDepth>;
  /** The depth of each outbox that has jobs: every bot has its own. */
  outboxes(): Promise<readonly OutboxDepth[]>;
  /** Rejects when nothing can be written: the database is unreachable, its disk is full, or it is read-only. */
  check(): Promise<void>;
}

/** Conversations per transaction; larger batches would block other writers. */
const BATCH_SIZE = 100;

/**
 * Creates a {@link QueueAdmin} on a database that is open.
 *
 * @param receiverName - gives the name of the receiver whose queues it has, or `null` for one without a name. Without it, it
 *   has those of all receivers.
 */
export function createQueueAdmin(
  database: SqlDatabase,
  forgetHooks: readonly ForgetHook[],
  receiverName?: () => string | null,
): QueueAdmin {
  const { table, list, now } = database;
  const jobs = table('job');
  const columns =
    'seq, queue, state, conversation, type, attempts, interruptions, error, created_at, content';

  /** The names of the queues of one kind. */
  const queuesOf = async (queue: QueueKind): Promise<string[]> => {
    const names = (await readQueueNames(database)).filter((name) => queueOwnerOf(name).queue === queue);
    if (!receiverName) return names;
    const receiver = receiverName() ?? DEFAULT_RECEIVER;
    const ofReceiver = names.filter((name) => queueOwnerOf(name).receiver === receiver);
    return [...new Set([...ofReceiver, queueNameOf({ queue, receiver })])];
  };

  /** The condition that a job is in a queue of one kind. */
  const isIn = async (queue: QueueKind): Promise<string> => `queue IN (${sqlList(await queuesOf(queue))})`;

  /** The keys that a conversation's id may have, by the receivers of these queues. */
  const keysOf = (conversationId: string, queues: readonly string[]): string[] => {
    if (receiverName) return [conversationKey(conversationId, receiverName())];
    const receivers = new Set(queues.map((name) => queueOwnerOf(name).receiver));
    return [...receivers].map((each) =>
      conversationKey(conversationId, each === DEFAULT_RECEIVER ? null : each),
    );
  };

  const depthOf = async (queues: readonly string[]): Promise<QueueDepth> => {
    const names = sqlList(queues);
    const [row] = await database.read(
      `SELECT (SELECT coalesce(sum(jobs), 0) FROM ${table('head')} WHERE queue IN (${names})) AS waiting,
        (SELECT count(*) FROM ${jobs} WHERE queue IN (${names}) AND state = 'dead') AS dead,
        (SELECT min(created_at) FROM ${jobs} WHERE queue IN (${names}) AND state = 'waiting') AS oldest`,
    );
    const oldest = row?.oldest ?? null;
    return {
      waiting: Number(row?.waiting),
      dead: Number(row?.dead),
      oldestAt: oldest === null ? null : new Date(Number(oldest)),
    };
  };

  /**
   * Removes a conversation's jobs with their keys. Heads are locked first (and created if missing), so that no job
   * is added meanwhile: its head would be removed, and the job would never run.
   */
  const removeJobs = (conversations: readonly string[], queues: readonly string[]): SqlStatement[] => {
    const values = [JSON.stringify(conversations)];
    const isRemoved = `conversation IN ${list('$1')}`;
    // The indexes of jobs and heads begin with the queue.
    const inQueues = `queue IN (${sqlList(queues)}) AND ${isRemoved}`;
    const names = queues.map((name) => `(${sqlList([name])})`).join(', ');
    const lock = `INSERT INTO ${table('head')} AS h (queue, conversation, jobs, due_at)
      SELECT queue, item, 0, ${now} FROM (VALUES ${names}) AS queues (queue), ${list('$1')} AS items
      ORDER BY queue COLLATE "C", item COLLATE "C"
      ON CONFLICT (queue, conversation) DO UPDATE SET jobs = h.jobs`;
    return [
      ...(database.dialect === 'postgres' ? [{ sql: lock, values }] : []),
      {
        sql: `DELETE FROM ${table('seen_key')} WHERE seq IN (SELECT seq FROM ${jobs} WHERE ${inQueues})`,
        values,
      },
      { sql: `DELETE FROM ${jobs} WHERE ${inQueues} RETURNING 1 AS one`, values },
      { sql: `DELETE FROM ${table('head')} WHERE ${inQueues}`, values },
      { sql: `DELETE FROM ${table('user_conversation')} WHERE ${isRemoved}`, values },
      { sql: `DELETE FROM ${table('conversation')} WHERE ${isRemoved} RETURNING 1 AS one`, values },
    ];
  };

  /** The bot of a conversation, by its key, or by its content where the key is a digest. */
  const botOfKey = async (key: string, queues: readonly string[]): Promise<string> => {
    const id = receiverOfKey(key) === null ? key : key.slice(key.indexOf('/') + 1);
    if (!id.startsWith('#')) return botOfId(id);
    const [row] = await database.read(
      `SELECT content FROM ${table('conversation')} WHERE conversation = $1
       UNION ALL SELECT content FROM ${jobs} WHERE queue IN (${sqlList(queues)}) AND conversation = $1 LIMIT 1`,
      [key],
    );
    const content = row && parseContent(row);
    return typeof content === 'object' ? botOfId(content.conversationId ?? content.id ?? '') : DEFAULT_BOT;
  };

  /** Makes the conversation of a waiting job due. Returns the name of its queue; `null`: the job does not wait. */
  const endDelay = async (inQueue: string, id: string): Promise<string | null> => {
    const [job] = await database.read(
      `SELECT queue, conversation FROM ${jobs} WHERE seq = $1 AND ${inQueue} AND state = 'waiting'`,
      [Number(id)],
    );
    if (!job) return null;
    const queue = String(job.queue);
    await database.write(
      `UPDATE ${table('head')} SET due_at = ${now}, delay_ms = 0
       WHERE queue = $1 AND conversation = $2 AND owner IS NULL`,
      [queue, String(job.conversation)],
    );
    return queue;
  };

  return {
    async list(queue, { state, conversationId, limit = 100 } = {}) {
      const queues = await queuesOf(queue);
      const values: SqlValue[] = [limit];
      const keys = conversationId === undefined ? [] : keysOf(conversationId, queues);
      const conditions = [
        `queue IN (${sqlList(queues)})`,
        ...(state === undefined ? [] : [`state = $${values.push(state)}`]),
        ...(keys.length === 0
          ? []
          : [`conversation IN (${keys.map((key) => `$${values.push(key)}`).join(', ')})`]),
      ].join(' AND ');
      const sql = `SELECT ${columns} FROM ${jobs} WHERE ${conditions} ORDER BY seq LIMIT $1`;
      return (await database.read(sql, values)).map((row) => toStoredJob(row));
    },
    async show(queue, id) {
      if (!isId(id)) return null;
      const sql = `SELECT ${columns} FROM ${jobs} WHERE seq = $1 AND ${await isIn(queue)}`;
      const [row] = await database.read(sql, [Number(id)]);
      return row ? toDetails(row) : null;
    },
    async retry(queue, id) {
      if (!isId(id)) return false;
      const inQueue = await isIn(queue);
      const done = await database.transaction([
        {
          sql: `UPDATE ${jobs} SET state = 'waiting', attempts = 0, interruptions = 0, crashes = 0
            WHERE seq = $1 AND ${inQueue} AND state = 'dead' RETURNING queue`,
          values: [Number(id)],
          required: true,
        },
        {
          sql: `INSERT INTO ${table('head')} AS h (queue, conversation, jobs, due_at)
            SELECT queue, conversation, 1, ${now} FROM ${jobs} WHERE seq = $1
            ON CONFLICT (queue, conversation) DO UPDATE SET jobs = h.jobs + 1, due_at = excluded.due_at, delay_ms = 0`,
          values: [Number(id)],
        },
      ]);
      const retried = done ? String(done[0]?.[0]?.queue) : await endDelay(inQueue, id);
      if (retried !== null) database.publish(retried);
      return retried !== null;
    },
    async discard(queue, id) {
      if (!isId(id)) return false;
      const done = await database.transaction([
        {
          sql: `DELETE FROM ${jobs} WHERE seq = $1 AND ${await isIn(queue)} AND state = 'dead' RETURNING 1 AS one`,
          values: [Number(id)],
          required: true,
        },
        { sql: `DELETE FROM ${table('seen_key')} WHERE seq = $1`, values: [Number(id)] },
      ]);
      return done !== null;
    },
    async forget(userId, { bot } = {}) {
      const digest = digestText(userId);
      const rows = await database.read(
        `SELECT conversation FROM ${table('user_conversation')} WHERE user_id = $1
         UNION SELECT conversation FROM ${table('conversation')} WHERE user_id = $1 OR anonymous_id = $1`,
        [digest],
      );
      const queues = await readQueueNames(database);
      const keys: string[] = [];
      for (const key of rows.map(({ conversation }) => String(conversation))) {
        const isOwn = !receiverName || receiverOfKey(key) === receiverName();
        if (isOwn && (bot === undefined || (await botOfKey(key, queues)) === bot)) keys.push(key);
      }
      let removed = 0;
      for (let from = 0; from < keys.length; from += BATCH_SIZE) {
        const batch = keys.slice(from, from + BATCH_SIZE);
        // Other stores first: they are found through the rows that are deleted below.
        for (const hook of forgetHooks) await hook(batch);
        const [conversations, , , jobsRemoved] = (
          (await database.transaction(removeJobs(batch, queues))) ?? []
        ).toReversed();
        removed += (conversations?.length ?? 0) + (jobsRemoved?.length ?? 0);
      }
      return removed;
    },
    depth: async (queue) => depthOf(await queuesOf(queue)),
    outboxes: async () =>
      Promise.all(
        (await queuesOf('outbox')).map(async (name) => {
          const { receiver: owner, bot } = queueOwnerOf(name);
          return { receiver: owner, bot, ...(await depthOf([name])) };
        }),
      ),
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
  readonly bot?: string;
  readonly conversationId?: string;
  /** The id of a stored conversation. */
  readonly id?: string;
  readonly body?: unknown;
}

function parseContent({ content }: SqlRow): StoredContent | string {
  try {
    return JSON.parse(String(content)) as StoredContent;
  } catch {
    return String(content);
  }
}

function toStoredJob(row: SqlRow): StoredJob {
  const content = parseContent(row);
  const inContent = typeof content === 'string' ? {} : content;
  const { queue, receiver, bot } = queueOwnerOf(String(row.queue));
  return {
    id: String(row.seq),
    queue,
    receiver,
    bot: queue === 'outbox' ? bot : (inContent.bot ?? DEFAULT_BOT),
    state: row.state as StoredJob['state'],
    conversationId: inContent.conversationId ?? decodeText(row.conversation),
    what: String(row.type),
    attempts: Number(row.attempts) + Number(row.interruptions),
    error: row.error === null ? null : decodeText(row.error),
    createdAt: new Date(Number(row.created_at)),
  };
}

/** The job of a row, with its content. */
export function toDetails(row: SqlRow): StoredJobDetails {
  const content = parseContent(row);
  if (typeof content === 'string') return { ...toStoredJob(row), key: null, content };
  const { key = null, body = null } = content;
  const job = toStoredJob(row);
  return { ...job, key, content: job.queue === 'inbox' ? body : content };
}
