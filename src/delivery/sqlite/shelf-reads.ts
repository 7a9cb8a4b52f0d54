import type { Doc, DocFilter, Entry, EntryFilter } from '../shelf.js';
import { toDoc, toEntry } from '../stored-shelf.js';
import { toText } from '../text.js';
import type { Database, Row, SqlValue } from './database.js';

/** What can be read of a shelf. */
export interface ShelfReads {
  get(kind: string, id: string): Doc | null;
  list(kind: string, filter: DocFilter): Doc[];
  count(kind: string): Record<string, number>;
  entries(filter: EntryFilter): Entry[];
  /** The last entry's number, also when it is gone. */
  head(): number;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Makes {@link ShelfReads}. */
export function createShelfReads(database: Database): ShelfReads {
  const one = database.prepare('SELECT * FROM doc WHERE kind = ? AND id = ?');
  const counts = database.prepare('SELECT grp, count(*) AS count FROM doc WHERE kind = ? GROUP BY grp');
  const last = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'entry'");

  const select = (from: string, conditions: readonly Condition[], order: string, limit: number): Row[] => {
    const where = conditions.map(({ sql }) => sql).join(' AND ');
    const values = conditions.flatMap((condition) => condition.values);
    return database
      .prepare(`SELECT *, lane AS conversation_id FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ?`)
      .all(...values, limit);
  };

  return {
    get(kind, id) {
      const row = one.get(kind, toText(id));
      return row ? toDoc(row) : null;
    },
    list(kind, { group, search, belowRank, limit = 100 }) {
      const conditions: Condition[] = [
        { sql: 'kind = ?', values: [kind] },
        ...(group === undefined ? [] : [{ sql: 'grp = ?', values: [group] }]),
        ...(belowRank === undefined ? [] : [{ sql: 'rank < ?', values: [belowRank] }]),
        ...(search === undefined
          ? []
          : [{ sql: 'instr(terms, ?) > 0', values: [toText(search.toLowerCase())] }]),
      ];
      return select('doc', conditions, 'rank DESC, id', limit).map(toDoc);
    },
    count: (kind) =>
      Object.fromEntries(counts.all(kind).map(({ grp, count }) => [String(grp), Number(count)])),
    entries({ after = 0, before, topics, conversationId, limit = 100 }) {
      const conditions: Condition[] = [
        { sql: 'seq > ?', values: [after] },
        ...(before === undefined ? [] : [{ sql: 'seq < ?', values: [before] }]),
        ...(topics ? [{ sql: `topic IN (${topics.map(() => '?').join(', ')})`, values: topics }] : []),
        ...(conversationId === undefined ? [] : [{ sql: 'lane = ?', values: [toText(conversationId)] }]),
      ];
      const isLatest = before !== undefined;
      const rows = select('entry', conditions, isLatest ? 'seq DESC' : 'seq', limit).map(toEntry);
      return isLatest ? rows.toReversed() : rows;
    },
    head: () => Number(last.get()?.seq ?? 0),
  };
}
