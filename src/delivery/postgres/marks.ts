import type { HandoffStore } from '../../handoff/index.js';
import type { Row } from './database.js';
import { readText } from './job.js';
import { digest } from './people.js';

/** Runs one statement. */
export type Run = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** The part of a store that is not about conversations, and a way to drop what has expired. */
export interface Marks
  extends Pick<
    HandoffStore,
    | 'addIdempotencyKey'
    | 'hasIdempotencyKey'
    | 'removeIdempotencyKey'
    | 'cursor'
    | 'moveCursor'
    | 'lease'
    | 'release'
  > {
  readonly dropExpired: () => Promise<void>;
}

/** Removed in one go; more would take too long for one statement. */
export const AT_ONCE = 5_000;

/** Makes {@link Marks}. Times are those of the database, which all processes share. */
export function createMarks(run: Run, schema: string): Marks {
  const happened = async (sql: string, values: readonly unknown[]): Promise<boolean> =>
    (await run(sql, values)).length > 0;

  const drop = async (table: string, key: string): Promise<void> => {
    const sql = `DELETE FROM ${schema}.${table} WHERE ${key} IN
      (SELECT ${key} FROM ${schema}.${table} WHERE until <= now() LIMIT ${AT_ONCE}) RETURNING 1`;
    for (let count = AT_ONCE; count === AT_ONCE; ) count = (await run(sql, [])).length;
  };

  return {
    addIdempotencyKey: (key, keepMs) =>
      happened(
        `INSERT INTO ${schema}.mark AS m (key, until) VALUES ($1, now() + $2 * interval '1 ms')
         ON CONFLICT (key) DO UPDATE SET until = excluded.until WHERE m.until <= now() RETURNING 1`,
        [digest(key), keepMs],
      ),
    hasIdempotencyKey: (key) =>
      happened(`SELECT 1 FROM ${schema}.mark WHERE key = $1 AND until > now()`, [digest(key)]),
    async removeIdempotencyKey(key) {
      await run(`DELETE FROM ${schema}.mark WHERE key = $1`, [digest(key)]);
    },
    async cursor(name) {
      const [row] = await run(`SELECT position FROM ${schema}.reading WHERE name = $1`, [digest(name)]);
      return row ? readText(row.position) : null;
    },
    moveCursor: (name, from, to) =>
      from === null
        ? happened(
            `INSERT INTO ${schema}.reading (name, position) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1`,
            [digest(name), JSON.stringify(to)],
          )
        : happened(
            `UPDATE ${schema}.reading SET position = $3 WHERE name = $1 AND position = $2 RETURNING 1`,
            [digest(name), JSON.stringify(from), JSON.stringify(to)],
          ),
    lease: (name, owner, forMs) =>
      happened(
        `INSERT INTO ${schema}.lease AS l (name, owner, until) VALUES ($1, $2, now() + $3 * interval '1 ms')
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
         WHERE l.owner = excluded.owner OR l.until <= now() RETURNING 1`,
        [digest(name), digest(owner), forMs],
      ),
    async release(name, owner) {
      await run(`DELETE FROM ${schema}.lease WHERE name = $1 AND owner = $2`, [digest(name), digest(owner)]);
    },
    async dropExpired() {
      await drop('mark', 'key');
      await drop('lease', 'name');
    },
  };
}
