import { HandoffKitError } from '../../internal/index.js';
import type { QueueName } from '../stored-queues.js';
import { createBatches } from './batches.js';
import type { Database } from './database.js';
import { inTime } from './in-time.js';
import { type NewItem, type NewJob, toJob } from './job.js';
import type { People } from './people.js';

/** Puts items into a queue. */
export interface Writer {
  /**
   * Resolves once the item is safe: `false` when its key is known. Rejects when that takes too long. Items of one
   * conversation keep the order of these calls.
   */
  add(item: NewItem, people?: readonly string[]): Promise<boolean>;
}

/** What {@link createWriter} needs. */
export interface WriterParts {
  readonly database: Database;
  readonly queue: QueueName;
  readonly people: People;
  /** How long what was done is remembered. */
  readonly rememberMs: number;
  /** How long storing may take. */
  readonly timeoutMs: number;
}

interface Entry {
  readonly job: NewJob;
  readonly people: readonly string[];
  readonly deadline: number;
}

/**
 * Makes a {@link Writer}. What comes while a statement is under way shares the next one. Two items of one
 * conversation never share one: the engine orders by the time of the statement.
 */
export function createWriter({ database, queue, people, rememberMs, timeoutMs }: WriterParts): Writer {
  const rememberS = Math.ceil(rememberMs / 1_000);

  const insert = async (entries: readonly Entry[]): Promise<Set<string>> => {
    const boss = await database.boss();
    await people.note(
      entries.flatMap((each) => each.people.map((person) => [person, each.job.singletonKey])),
    );
    const jobs = entries.map(({ job }) => job);
    return new Set(await boss.insert(queue, jobs, { returnId: true }));
  };

  const store = createBatches<Entry, boolean>({
    distinct: ({ job }) => [job.id, job.singletonKey],
    async run(batch) {
      const now = Date.now();
      // Whoever waited for the others has given up by now.
      const timely = batch.filter(({ deadline }) => deadline > now);
      if (timely.length === 0) return batch.map(() => false);
      const added = await inTime(insert(timely), timeoutMs);
      return batch.map(({ job }) => added.has(job.id));
    },
  });

  return {
    async add(item, whose = []) {
      const deadline = Date.now() + timeoutMs;
      const added = await inTime(store({ job: toJob(item, rememberS), people: whose, deadline }), timeoutMs);
      if (Date.now() >= deadline) throw new HandoffKitError('DATABASE_TIMEOUT', 'storing took too long.');
      return added;
    },
  };
}
