import { fromText, toText } from '../text.js';
import type { Database } from './database.js';

/** The statements about notes, readers and leases. Those that write are to be run within a transaction. */
export interface Marks {
  mark(key: string, until: number, now: number): boolean;
  isMarked(key: string, now: number): boolean;
  unmark(key: string): void;
  cursor(name: string): string | null;
  moveCursor(name: string, from: string | null, to: string): boolean;
  lease(name: string, owner: string, until: number, now: number): boolean;
  release(name: string, owner: string): void;
  /** Drops up to `limit` notes and leases whose time has passed; tells how many notes. */
  prune(now: number, limit: number): number;
}

/** Makes {@link Marks}. */
export function createMarks(database: Database): Marks {
  const note = database.prepare(
    'INSERT INTO mark (key, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until WHERE until <= ?',
  );
  const find = database.prepare('SELECT 1 FROM mark WHERE key = ? AND until > ?');
  const remove = database.prepare('DELETE FROM mark WHERE key = ?');
  const removeOld = database.prepare(
    'DELETE FROM mark WHERE key IN (SELECT key FROM mark WHERE until <= ? LIMIT ?)',
  );
  const read = database.prepare('SELECT position FROM cursor WHERE name = ?');
  const begin = database.prepare('INSERT INTO cursor (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const move = database.prepare('UPDATE cursor SET position = ? WHERE name = ? AND position = ?');
  const take = database.prepare(
    `INSERT INTO lease (name, owner, until) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET owner = excluded.owner, until = excluded.until WHERE owner = excluded.owner OR until <= ?`,
  );
  const letGo = database.prepare('DELETE FROM lease WHERE name = ? AND owner = ?');
  const letGoOld = database.prepare(
    'DELETE FROM lease WHERE name IN (SELECT name FROM lease WHERE until <= ? LIMIT ?)',
  );
  const has = ({ changes }: { readonly changes: number | bigint }): boolean => Number(changes) > 0;

  return {
    mark: (key, until, now) => has(note.run(toText(key), until, now)),
    isMarked: (key, now) => find.get(toText(key), now) !== undefined,
    unmark: (key) => void remove.run(toText(key)),
    cursor(name) {
      const row = read.get(toText(name));
      return row ? fromText(row.position) : null;
    },
    moveCursor: (name, from, to) =>
      from === null
        ? has(begin.run(toText(name), toText(to)))
        : has(move.run(toText(to), toText(name), toText(from))),
    lease: (name, owner, until, now) => has(take.run(toText(name), toText(owner), until, now)),
    release: (name, owner) => void letGo.run(toText(name), toText(owner)),
    prune(now, limit) {
      letGoOld.run(now, limit);
      return Number(removeOld.run(now, limit).changes);
    },
  };
}
