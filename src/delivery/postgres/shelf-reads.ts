import type { Shelf } from '../shelf.js';
import { toDoc, toEntry } from '../stored-shelf.js';
import { toText } from '../text.js';
import type { Row } from './database.js';
import { laneOf } from './job.js';

type Reads = Pick<Shelf, 'get' | 'list' | 'count' | 'read' | 'head'>;
type Run = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Makes what reads a shelf. */
export function createShelfReads(run: Run, schema: string): Reads {
  return {
    async get(kind, id) {
      const [row] = await run(`SELECT * FROM ${schema}.doc WHERE kind = $1 AND id = $2`, [kind, toText(id)]);
      return row ? toDoc(row) : null;
    },
    async list(kind, { group, search, belowRank, limit = 100 } = {}) {
      const values: unknown[] = [kind];
      const where = (sql: string, value: unknown): string => sql.replace('?', `$${values.push(value)}`);
      const conditions = [
        'kind = $1',
        ...(group === undefined ? [] : [where('grp = ?', group)]),
        ...(belowRank === undefined ? [] : [where('rank < ?', belowRank)]),
        ...(search === undefined ? [] : [where('position(? in terms) > 0', toText(search.toLowerCase()))]),
      ].join(' AND ');
      const sql = `SELECT * FROM ${schema}.doc WHERE ${conditions} ORDER BY rank DESC, id LIMIT ${where('?', limit)}`;
      return (await run(sql, values)).map(toDoc);
    },
    async count(kind) {
      const sql = `SELECT grp, count(*) AS count FROM ${schema}.doc WHERE kind = $1 GROUP BY grp`;
      const rows = await run(sql, [kind]);
      return Object.fromEntries(rows.map(({ grp, count }) => [String(grp), Number(count)]));
    },
    async read({ after = 0, before, topics, conversationId, limit = 100 } = {}) {
      const values: unknown[] = [after];
      const where = (sql: string, value: unknown): string => sql.replace('?', `$${values.push(value)}`);
      const conditions = [
        'seq > $1',
        ...(before === undefined ? [] : [where('seq < ?', before)]),
        ...(topics === undefined ? [] : [where('topic = ANY(?::text[])', topics)]),
        ...(conversationId === undefined ? [] : [where('lane = ?', laneOf(conversationId))]),
      ].join(' AND ');
      const order = before === undefined ? 'seq' : 'seq DESC';
      const sql = `SELECT * FROM ${schema}.entry WHERE ${conditions} ORDER BY ${order} LIMIT ${where('?', limit)}`;
      const entries = (await run(sql, values)).map(toEntry);
      return before === undefined ? entries : entries.toReversed();
    },
    async head() {
      const [row] = await run(`SELECT coalesce(max(seq), 0) AS seq FROM ${schema}.entry`, []);
      return Number(row?.seq ?? 0);
    },
  };
}
