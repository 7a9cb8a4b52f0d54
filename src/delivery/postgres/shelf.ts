import type { Db } from 'pg-boss';
import type { Doc, DocPut, Entry, EntryAppend, Shelf, ShelfChange, ShelfWritten } from '../shelf.js';
import { toDoc, toEntry } from '../stored-shelf.js';
import { toText } from '../text.js';
import type { Database, Row } from './database.js';
import { inTime } from './in-time.js';
import { laneOf } from './job.js';
import { createShelfReads } from './shelf-reads.js';

/** A {@link Shelf} with what its delivery needs of it. */
export interface PostgresShelf extends Shelf {
  /** Removes everything of lanes. */
  forgetLanes(lanes: readonly string[]): Promise<void>;
  /** Somebody else has written entries. */
  changedElsewhere(): void;
}

/** What {@link createShelf} needs. */
export interface ShelfParts {
  readonly database: Database;
  /** How long each step may take. */
  readonly timeoutMs: number;
  /** Tells other processes that entries were written. */
  readonly tell: () => void;
}

/** Thrown to undo a change whose document somebody else has changed. */
class Outdated extends Error {}

/** Makes a {@link Shelf} of the tables. */
export function createShelf({ database, timeoutMs, tell }: ShelfParts): PostgresShelf {
  const { schema } = database;
  const run = (sql: string, values: readonly unknown[]) => inTime(database.run(sql, values), timeoutMs);
  const reads = createShelfReads(run, schema);
  const watching = new Set<() => void>();
  const changed = (): void => {
    for (const each of watching) each();
  };

  const put = async (db: Db, doc: DocPut, now: number): Promise<Doc> => {
    const { kind, id, value, version, group = '', rank = now, terms = '', conversationId } = doc;
    const lane = conversationId === undefined ? null : laneOf(conversationId);
    const text = JSON.stringify(value);
    const values = [kind, toText(id), version, text, group, rank, toText(terms.toLowerCase()), lane, now];
    const rows = await query(db, version === 0 ? insertDoc(schema) : updateDoc(schema), values);
    const [written] = rows;
    if (!written) throw new Outdated();
    return toDoc(written);
  };

  const append = async (db: Db, entry: EntryAppend, now: number): Promise<Entry> => {
    const { topic, value, conversationId } = entry;
    const lane = conversationId === undefined ? null : laneOf(conversationId);
    const id = conversationId === undefined ? null : toText(conversationId);
    const values = [topic, lane, id, JSON.stringify(value), now];
    const [written = {}] = await query(db, insertEntry(schema), values);
    return toEntry(written);
  };

  const write = async (db: Db, change: ShelfChange): Promise<ShelfWritten> => {
    const now = Date.now();
    const docs: Doc[] = [];
    const entries: Entry[] = [];
    for (const doc of change.put ?? []) docs.push(await put(db, doc, now));
    for (const { kind, id } of change.remove ?? []) {
      await query(db, `DELETE FROM ${schema}.doc WHERE kind = $1 AND id = $2`, [kind, toText(id)]);
    }
    // Numbers are given in the order of commits: else a reader could pass by one that is not committed yet.
    if (change.append?.length) await query(db, TAKE_TURNS, [`handoff-kit journal ${schema}`]);
    for (const entry of change.append ?? []) entries.push(await append(db, entry, now));
    return { docs, entries };
  };

  const forgetLanes = async (lanes: readonly string[]): Promise<void> => {
    for (const table of ['doc', 'entry']) {
      await run(`DELETE FROM ${schema}.${table} WHERE lane = ANY($1::text[])`, [lanes]);
    }
  };

  return {
    ...reads,
    async write(change) {
      try {
        const written = await inTime(
          database.together((_boss, db) => write(db, change)),
          timeoutMs,
        );
        if (written.entries.length > 0) {
          changed();
          tell();
        }
        return written;
      } catch (error) {
        if (error instanceof Outdated) return null;
        throw error;
      }
    },
    watch(each) {
      watching.add(each);
      return () => void watching.delete(each);
    },
    changedElsewhere: changed,
    forget: (conversationIds) => forgetLanes(conversationIds.map(laneOf)),
    forgetLanes,
    async prune(before, { kind, group }) {
      const sql = `DELETE FROM ${schema}.doc WHERE kind = $1 AND grp = $2 AND changed_at < $3`;
      await run(sql, [kind, group, before.getTime()]);
      await run(`DELETE FROM ${schema}.entry WHERE at < $1`, [before.getTime()]);
    },
  };
}

const TAKE_TURNS = 'SELECT pg_advisory_xact_lock(hashtext($1))';

const insertDoc = (schema: string): string =>
  `INSERT INTO ${schema}.doc (kind, id, version, value, grp, rank, terms, lane, changed_at)
   VALUES ($1, $2, $3 + 1, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING *`;

const updateDoc = (schema: string): string =>
  `UPDATE ${schema}.doc SET version = version + 1, value = $4, grp = $5, rank = $6, terms = $7, lane = $8,
   changed_at = $9 WHERE kind = $1 AND id = $2 AND version = $3 RETURNING *`;

const insertEntry = (schema: string): string =>
  `INSERT INTO ${schema}.entry (topic, lane, conversation_id, value, at) VALUES ($1, $2, $3, $4, $5) RETURNING *`;

async function query(db: Db, sql: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeSql(sql, [...values]);
  return rows as Row[];
}
