import { DEFAULT_BOT } from '../events/index.js';
import type { QueueName } from './queue.js';
import type { SqlDatabase } from './sql.js';

/** The name of a receiver that was given none. */
export const DEFAULT_RECEIVER = 'default';

/** A queue in a database: receivers that share it have queues of their own, and each bot has its own outbox. */
export interface QueueOwner {
  readonly queue: QueueName;
  /** The name of the receiver. */
  readonly receiver: string;
  /** The bot whose replies are in an outbox. An inbox has the events of all bots. */
  readonly bot: string;
}

/**
 * The name of a queue in the database: `inbox` and `outbox` by default, `outbox/sales` for a bot, and
 * `shop:outbox/sales` for the bot of a receiver with a name. Persisted: never change it.
 */
export function queueNameOf({
  queue,
  receiver = DEFAULT_RECEIVER,
  bot = DEFAULT_BOT,
}: Pick<QueueOwner, 'queue'> & Partial<QueueOwner>): string {
  const before = receiver === DEFAULT_RECEIVER ? '' : `${receiver}:`;
  return `${before}${queue}${bot === DEFAULT_BOT ? '' : `/${bot}`}`;
}

/** The inverse of {@link queueNameOf}. */
export function queueOwnerOf(name: string): QueueOwner {
  const colon = name.indexOf(':');
  const [queue, bot = DEFAULT_BOT] = name.slice(colon + 1).split('/');
  return {
    queue: queue === 'outbox' ? 'outbox' : 'inbox',
    receiver: colon < 0 ? DEFAULT_RECEIVER : name.slice(0, colon),
    bot,
  };
}

/**
 * The names of all queues that have jobs, and of the default ones. Skips from one name to the next in the index of jobs,
 * so that it takes as many lookups as there are names.
 */
export async function readQueueNames(database: Pick<SqlDatabase, 'read' | 'table'>): Promise<string[]> {
  const jobs = database.table('job');
  const rows = await database.read(
    `WITH RECURSIVE names (queue) AS (
       SELECT min(queue) FROM ${jobs}
       UNION ALL SELECT (SELECT min(j.queue) FROM ${jobs} j WHERE j.queue > names.queue) FROM names
       WHERE names.queue IS NOT NULL)
     SELECT queue FROM names WHERE queue IS NOT NULL`,
  );
  return [...new Set(['inbox', 'outbox', ...rows.map(({ queue }) => String(queue))])];
}

/** Names as a list of SQL literals, so that a statement is planned as for one name. */
export const sqlList = (names: readonly string[]): string =>
  names.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
