import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';
import { toOutput } from './job.js';

/** What {@link takeOver} needs. */
export interface TakeOverParts {
  readonly database: Database;
  readonly queue: QueueName;
  /** How long without a sign of life counts as dead. */
  readonly leaseMs: number;
  /** Whether an item is being worked on in this process, which lives. */
  readonly isHere: (id: string) => boolean;
}

/**
 * Puts back what was begun by processes that give no sign of life any more. Tells whether there was any. The
 * engine can do it too, but not sooner than after ten seconds, and counts every queue each time it looks.
 */
export async function takeOver({ database, queue, leaseMs, isHere }: TakeOverParts): Promise<boolean> {
  const rows = await database.run(
    `SELECT id, retry_count FROM ${database.schema}.job
     WHERE name = $1 AND state = 'active' AND heartbeat_on < now() - $2 * interval '1 ms' LIMIT 1000`,
    [queue, leaseMs],
  );
  const orphans = rows
    .map((row) => ({ id: String(row.id), retryCount: Number(row.retry_count) }))
    .filter(({ id }) => !isHere(id));
  if (orphans.length === 0) return false;
  const boss = await database.boss();
  await boss.fail(queue, orphans, toOutput('interrupted', 'the process died in the middle of it'));
  return true;
}
