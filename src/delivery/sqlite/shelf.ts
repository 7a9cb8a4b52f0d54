import type { DocPut, EntryAppend, Shelf } from '../shelf.js';
import { toDoc, toEntry } from '../stored-shelf.js';
import { toText } from '../text.js';
import type { Database } from './database.js';
import { createShelfReads } from './shelf-reads.js';
import { createShelfWatch } from './shelf-watch.js';
import type { DocRow, EntryRow } from './shelf-writes.js';
import type { Writer } from './writer.js';

/** A {@link Shelf} with what its delivery needs of it. */
export interface SqliteShelf extends Shelf {
  /** Looks no more for what others write. */
  stop(): void;
}

/** Makes a {@link Shelf} of the tables. */
export function createShelf(database: Database, writer: Writer, pollMs: number): SqliteShelf {
  const reads = createShelfReads(database);
  const watch = createShelfWatch(database, () => reads.head(), pollMs);
  return {
    get: async (kind, id) => reads.get(kind, id),
    list: async (kind, filter = {}) => reads.list(kind, filter),
    count: async (kind) => reads.count(kind),
    read: async (filter = {}) => reads.entries(filter),
    head: async () => reads.head(),
    async write({ put = [], remove = [], append = [] }) {
      const rows = {
        put: put.map(toDocRow),
        remove: remove.map(({ kind, id }) => ({ kind, id })),
        append: append.map(toEntryRow),
      };
      const written = await writer.write('shelve', rows, Date.now());
      if (!written) return null;
      if (written.entries.length > 0) watch.changed();
      return { docs: written.docs.map(toDoc), entries: written.entries.map(toEntry) };
    },
    watch: (changed) => watch.add(changed),
    forget: (conversationIds) => writer.write('forgetLanes', [...conversationIds]),
    prune: (before, { kind, group }) => writer.write('pruneShelf', kind, group, before.getTime()),
    stop: () => watch.stop(),
  };
}

const laneOf = (conversationId: string | undefined): string | null =>
  conversationId === undefined ? null : toText(conversationId);

function toDocRow({
  kind,
  id,
  version,
  value,
  group = '',
  rank,
  terms = '',
  conversationId,
}: DocPut): DocRow {
  return {
    kind,
    id,
    version,
    json: JSON.stringify(value),
    group,
    rank: rank ?? null,
    terms: toText(terms.toLowerCase()),
    lane: laneOf(conversationId),
  };
}

const toEntryRow = ({ topic, value, conversationId }: EntryAppend): EntryRow => ({
  topic,
  json: JSON.stringify(value),
  lane: laneOf(conversationId),
});
