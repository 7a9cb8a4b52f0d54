import {
  type Conversation,
  firstConversation,
  type HandoffStore,
  nextConversation,
} from '../../handoff/index.js';
import { listStatement, restoreConversation, storeConversation } from '../stored-conversation.js';
import type { Database, Row } from './database.js';
import { inTime } from './in-time.js';
import { laneOf } from './job.js';
import { AT_ONCE, createMarks, type Run } from './marks.js';
import { digest } from './people.js';

/** What {@link createHandoffStore} needs. */
export interface HandoffStoreParts {
  readonly database: Database;
  /** How long each step may take. */
  readonly timeoutMs: number;
  /** Whether the transcript is kept after the end. */
  readonly keepContent: boolean;
}

const COLUMNS =
  'lane, version, state, user_key, user_id, anonymous_id, adapter, link, requested_at, changed_at, ended_at, content';

/** Makes a {@link HandoffStore} of the tables. */
export function createHandoffStore({ database, timeoutMs, keepContent }: HandoffStoreParts): HandoffStore {
  const { schema } = database;
  const table = `${schema}.conversation`;
  const run: Run = (sql, values) => inTime(database.run(sql, values), timeoutMs);
  const { dropExpired, ...marks } = createMarks(run, schema);

  const find = async (where: string, values: readonly unknown[]): Promise<Conversation | null> => {
    const [row] = await run(`SELECT content FROM ${table} WHERE ${where}`, values);
    return row ? restore(row) : null;
  };
  const get = (id: string): Promise<Conversation | null> => find('lane = $1', [laneOf(id)]);

  const remove = async (where: string, values: readonly unknown[]): Promise<number> => {
    const sql = `WITH gone AS (DELETE FROM ${table} WHERE ${where} RETURNING 1) SELECT count(*) AS count FROM gone`;
    const [row] = await run(sql, values);
    return Number(row?.count ?? 0);
  };

  return {
    ...marks,
    get,
    async create(conversation) {
      const known = await get(conversation.id);
      if (known) return { conversation: known, created: false };
      const first = firstConversation(conversation, Date.now());
      // What is there is given back too, by a change that changes nothing; a row that was added has no `xmax`.
      const [row] = await run(
        `INSERT INTO ${table} AS c (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (lane) DO UPDATE SET lane = c.lane RETURNING content, xmax = 0 AS claimed`,
        columnsOf(first),
      );
      return row
        ? { conversation: restore(row), created: row.claimed === true }
        : { conversation: first, created: true };
    },
    findByLink: (adapter, externalId) =>
      find('link = $1 ORDER BY requested_at DESC, lane DESC LIMIT 1', [linkOf(adapter, externalId)]),
    async update(id, version, change) {
      const found = await find('lane = $1 AND version = $2', [laneOf(id), version]);
      if (!found) return null;
      const next = nextConversation(found, change, { now: Date.now(), keepContent });
      const rows = await run(
        `UPDATE ${table} SET (${COLUMNS}) = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         WHERE lane = $1 AND version = $13 RETURNING 1`,
        [...columnsOf(next), version],
      );
      return rows.length > 0 ? next : null;
    },
    async list(filter = {}) {
      if (filter.states?.length === 0) return [];
      const values: (string | number)[] = [];
      const value = (each: string | number): string => `$${values.push(each)}`;
      const encoded = filter.adapter === undefined ? filter : { ...filter, adapter: digest(filter.adapter) };
      const sql = listStatement(encoded, { table, value, userKey: digest, lane: laneOf });
      return (await run(sql, values)).map(restore);
    },
    forget: (personId) => remove('user_id = $1 OR anonymous_id = $1', [digest(personId)]),
    async prune(endedBefore) {
      await dropExpired();
      const some = `lane IN (SELECT lane FROM ${table} WHERE ended_at < $1 LIMIT ${AT_ONCE})`;
      let removed = 0;
      for (let count = AT_ONCE; count === AT_ONCE; removed += count)
        count = await remove(some, [endedBefore.getTime()]);
      return removed;
    },
  };
}

const restore = (row: Row): Conversation => restoreConversation(row.content);

const linkOf = (adapter: string, externalId: string): string => digest(JSON.stringify([adapter, externalId]));

const digestOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : digest(text);

/** What is looked for, and the whole of it, in the order of {@link COLUMNS}. */
function columnsOf(conversation: Conversation): unknown[] {
  const { id, version, state, user, link, closure, requestedAt, changedAt } = conversation;
  return [
    laneOf(id),
    version,
    state,
    digest(user.key),
    digestOrNull(user.userId),
    digestOrNull(user.anonymousId),
    digestOrNull(link?.adapter),
    link && linkOf(link.adapter, link.externalId),
    requestedAt.getTime(),
    changedAt.getTime(),
    closure?.at.getTime() ?? null,
    storeConversation(conversation),
  ];
}
