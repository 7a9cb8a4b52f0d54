import { toText } from '../text.js';
import type { Database, Row } from './database.js';

/** A document as its row. */
export interface DocRow {
  readonly kind: string;
  readonly id: string;
  /** The version that it replaces. */
  readonly version: number;
  readonly json: string;
  readonly group: string;
  readonly rank: number | null;
  readonly terms: string;
  readonly lane: string | null;
}

/** An entry as its row. */
export interface EntryRow {
  readonly topic: string;
  readonly json: string;
  readonly lane: string | null;
}

/** What is written together or not at all. */
export interface ShelfRows {
  readonly put: readonly DocRow[];
  readonly remove: readonly { readonly kind: string; readonly id: string }[];
  readonly append: readonly EntryRow[];
}

/** What can be written to a shelf, within a transaction. */
export interface ShelfWrites {
  /** Gives what was written; `null` when a document is not of the version that it should replace. */
  write(rows: ShelfRows, now: number): { docs: Row[]; entries: Row[] } | null;
  /** Removes everything of lanes. */
  forget(lanes: readonly string[]): void;
  prune(kind: string, group: string, before: number): void;
}

/** Makes {@link ShelfWrites}. */
export function createShelfWrites(database: Database): ShelfWrites {
  const versionOf = database.prepare('SELECT version FROM doc WHERE kind = ? AND id = ?');
  const put = database.prepare(
    `INSERT INTO doc (kind, id, version, value, grp, rank, terms, lane, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET version = excluded.version, value = excluded.value, grp = excluded.grp,
       rank = excluded.rank, terms = excluded.terms, lane = excluded.lane, changed_at = excluded.changed_at
     RETURNING *`,
  );
  const remove = database.prepare('DELETE FROM doc WHERE kind = ? AND id = ?');
  const append = database.prepare(
    'INSERT INTO entry (topic, lane, value, at) VALUES (?, ?, ?, ?) RETURNING *, lane AS conversation_id',
  );
  const forgetDocs = database.prepare('DELETE FROM doc WHERE lane = ?');
  const forgetEntries = database.prepare('DELETE FROM entry WHERE lane = ?');
  const pruneDocs = database.prepare('DELETE FROM doc WHERE kind = ? AND grp = ? AND changed_at < ?');
  const pruneEntries = database.prepare('DELETE FROM entry WHERE at < ?');

  return {
    /** Looks before it writes: what shares the commit must not be undone for somebody else's old version. */
    write(rows, now) {
      const fits = rows.put.every(
        ({ kind, id, version }) => Number(versionOf.get(kind, toText(id))?.version ?? 0) === version,
      );
      if (!fits) return null;
      for (const { kind, id } of rows.remove) remove.run(kind, toText(id));
      return {
        docs: rows.put.map(({ kind, id, version, json, group, rank, terms, lane }) =>
          written(put.get(kind, toText(id), version + 1, json, group, rank ?? now, terms, lane, now)),
        ),
        entries: rows.append.map(({ topic, json, lane }) => written(append.get(topic, lane, json, now))),
      };
    },
    forget(lanes) {
      for (const lane of lanes.map(toText)) {
        forgetDocs.run(lane);
        forgetEntries.run(lane);
      }
    },
    prune(kind, group, before) {
      pruneDocs.run(kind, group, before);
      pruneEntries.run(before);
    },
  };
}

/** A statement that returns what it wrote always has a row. */
function written(row: Row | undefined): Row {
  if (row) return row;
  throw new TypeError('a statement with RETURNING gave nothing back');
}
