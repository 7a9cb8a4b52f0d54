import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, PgBoss } from 'pg-boss';
import type { QueueName } from '../stored-queues.js';
import type { Ending } from '../work.js';
import { createBatches } from './batches.js';
import type { Database } from './database.js';
import { type Claim, type Item, toOutput } from './job.js';

/** Writes down how attempts ended. */
export interface Settle {
  /**
   * Resolves once the ending is written down, however long the database is away: else a thing would be done
   * again. The claim is asked for anew each time, since an attempt can change hands and come back; tells under
   * which it was written down.
   */
  end(claim: () => Claim, ending: Ending): Promise<Claim>;
  /** Gives attempts back that were not finished; they count as interrupted. */
  release(items: readonly Item[]): Promise<void>;
  /** Gives attempts back that were not even begun; they do not count. */
  giveBack(items: readonly Item[]): Promise<void>;
  /** Nobody waits any more: what cannot be written down at once falls to whoever comes next. */
  stop(): void;
}

/** What {@link createSettle} needs. */
export interface SettleParts {
  readonly database: Database;
  readonly queue: QueueName;
  /** Whether the content of what was done is kept. */
  readonly keepContent: boolean;
  readonly onTrouble: (error: unknown) => void;
}

interface Done {
  readonly claim: () => Claim;
  readonly answer: unknown;
}

/** How long to wait before a failed write is tried again. */
const WRITE_AGAIN_MS = 250;

/** Makes a {@link Settle}. */
export function createSettle({ database, queue, keepContent, onTrouble }: SettleParts): Settle {
  const { schema } = database;
  let stopped = false;

  /**
   * What the engine's own `complete` does, for a whole batch, and two things that it cannot: each item has its own
   * answer, for those who wait elsewhere, and its content goes in the same moment.
   */
  const finish = `UPDATE ${schema}.job j
    SET state = 'completed', completed_on = now(), output = x.output::jsonb,
      data = CASE WHEN $5 THEN j.data ELSE j.data - '{content,key}'::text[] END
    FROM unnest($2::uuid[], $3::int[], $4::text[]) AS x (id, retry_count, output)
    WHERE j.name = $1 AND j.id = x.id AND j.retry_count = x.retry_count AND j.state = 'active'`;

  const complete = createBatches<Done, Claim>({
    distinct: () => [],
    async run(batch) {
      const claims = batch.map(({ claim }) => claim());
      const ids = claims.map(({ id }) => id);
      const attempts = claims.map(({ retryCount }) => retryCount);
      const outputs = batch.map(({ answer }) => toAnswer(answer));
      await database.run(finish, [queue, ids, attempts, outputs, keepContent]);
      return claims;
    },
  });

  /** Takes the attempt back into the queue. `false`: it was somebody else's by now. */
  const fail = async (boss: PgBoss, db: Db, claim: Claim, error: string): Promise<boolean> => {
    const answer = await boss.fail(queue, [claim], toOutput('failed', error), { db });
    return (answer as { readonly affected?: number }).affected === 1;
  };

  const uncount = `UPDATE ${schema}.job
    SET data = jsonb_set(data, '{before}', to_jsonb((data->>'before')::int + 1))
    WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'retry'`;

  const again = (claim: Claim, { error, afterMs, postponed = false }: Ending & { state: 'waiting' }) =>
    database.together(async (boss, db) => {
      if (!(await fail(boss, db, claim, error))) return;
      await boss.update(queue, undefined, { id: claim.id, startAfter: afterMs / 1_000, db });
      if (postponed) await db.executeSql(uncount, [queue, [claim.id]]);
    });

  /**
   * A job that the engine itself counts as failed holds up its key; a cancelled one does not, keeps its id for
   * de-duplication, and can be resumed in its old place. It is kept until somebody decides.
   */
  const park = (claim: Claim, error: string) =>
    database.together(async (boss, db) => {
      if (!(await fail(boss, db, claim, error))) return;
      await boss.update(queue, undefined, { id: claim.id, deleteAfterSeconds: 0, db });
      await boss.cancel(queue, claim.id, { db });
      const insert = `INSERT INTO ${schema}.parked (queue, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
      await db.executeSql(insert, [queue, claim.id]);
    });

  const write = async (claim: () => Claim, ending: Ending): Promise<Claim> => {
    if (ending.state === 'done') return complete({ claim, answer: ending.answer });
    const current = claim();
    if (ending.state === 'dead') await park(current, ending.error);
    else await again(current, ending);
    return current;
  };

  return {
    async end(claim, ending) {
      for (;;) {
        try {
          return await write(claim, ending);
        } catch (error) {
          onTrouble(error);
          if (stopped) return claim();
          await sleep(WRITE_AGAIN_MS);
        }
      }
    },
    async release(items) {
      if (items.length === 0) return;
      const boss = await database.boss();
      const output = toOutput('interrupted', 'the process ended in the middle of it');
      await boss.fail(queue, claimsOf(items), output);
    },
    giveBack: (items) =>
      database.together(async (boss, db) => {
        for (const end of ['failed', 'interrupted'] as const) {
          const alike = items.filter(({ interrupted }) => interrupted === (end === 'interrupted'));
          if (alike.length === 0) continue;
          await boss.fail(queue, claimsOf(alike), { end }, { db });
          await db.executeSql(uncount, [queue, alike.map(({ id }) => id)]);
        }
      }),
    stop() {
      stopped = true;
    },
  };
}

const claimsOf = (items: readonly Item[]): Claim[] => items.map(({ claim }) => claim);

const toAnswer = (answer: unknown): string | null =>
  answer === undefined ? null : JSON.stringify({ answer: JSON.stringify(answer) });
