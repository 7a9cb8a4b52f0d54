import type { Doc, DocPut, Entry, EntryAppend, Shelf, ShelfChange, ShelfWritten } from '../shelf.js';
import { toDoc, toEntry } from '../stored-shelf.js';
import { toText } from '../text.js';
import type { Database, Row } from './database.js';
import type { GroupCommit } from './group-commit.js';
import { createShelfReads } from './shelf-reads.js';
import { createShelfWatch } from './shelf-watch.js';

/** A {@link Shelf} with what its delivery needs of it. */
export interface SqliteShelf extends Shelf {
  /** Removes everything of lanes, within a transaction of the caller. */
  forgetLanes(lanes: readonly string[]): void;
  /** Looks no more for what others write. */
  stop(): void;
}

/** Makes a {@link Shelf} of the tables. */
export function createShelf(database: Database, commit: GroupCommit, pollMs: number): SqliteShelf {
  const reads = createShelfReads(database);
  const watch = createShelfWatch(database, () => reads.head(), pollMs);
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

  const putOne = (doc: DocPut, now: number): Doc => {
    const { kind, id, value, version, group = '', rank = now, terms = '', conversationId } = doc;
    const lane = conversationId === undefined ? null : toText(conversationId);
    const search = toText(terms.toLowerCase());
    const json = JSON.stringify(value);
    return toDoc(row(put.get(kind, toText(id), version + 1, json, group, rank, search, lane, now)));
  };

  const appendOne = ({ topic, value, conversationId }: EntryAppend, now: number): Entry => {
    const lane = conversationId === undefined ? null : toText(conversationId);
    return toEntry(row(append.get(topic, lane, JSON.stringify(value), now)));
  };

  /** Looks before it writes: what shares the commit must not be undone for somebody else's old version. */
  const write = (change: ShelfChange): ShelfWritten | null => {
    const { put: puts = [], remove: removes = [], append: appends = [] } = change;
    const fits = puts.every(({ kind, id, version }) => (reads.get(kind, id)?.version ?? 0) === version);
    if (!fits) return null;
    const now = Date.now();
    for (const { kind, id } of removes) remove.run(kind, toText(id));
    return {
      docs: puts.map((each) => putOne(each, now)),
      entries: appends.map((each) => appendOne(each, now)),
    };
  };

  const forgetLanes = (lanes: readonly string[]): void => {
    for (const lane of lanes.map(toText)) {
      forgetDocs.run(lane);
      forgetEntries.run(lane);
    }
  };

  return {
    get: async (kind, id) => reads.get(kind, id),
    list: async (kind, filter = {}) => reads.list(kind, filter),
    count: async (kind) => reads.count(kind),
    read: async (filter = {}) => reads.entries(filter),
    head: async () => reads.head(),
    async write(change) {
      const written = await commit.write(() => write(change));
      if (written && written.entries.length > 0) watch.changed();
      return written;
    },
    watch: (changed) => watch.add(changed),
    forget: (conversationIds) => commit.write(() => forgetLanes(conversationIds)),
    prune: (before, { kind, group }) =>
      commit.write(() => {
        pruneDocs.run(kind, group, before.getTime());
        pruneEntries.run(before.getTime());
      }),
    forgetLanes,
    stop: () => watch.stop(),
  };
}

/** A statement that returns what it wrote always has a row. */
function row(written: Row | undefined): Row {
  if (written) return written;
  throw new TypeError('a statement with RETURNING gave nothing back');
}
