import type { Database, Row } from './database.js';
import { fromText, toText } from './text.js';

/** Something to be done when its turn in its lane has come. */
export interface Item {
  readonly seq: number;
  readonly key: string;
  readonly lane: string;
  /** JSON; `null` once it was done and its content dropped. */
  readonly content: string | null;
  readonly state: 'waiting' | 'done' | 'dead';
  /** Attempts begun so far. */
  readonly attempts: number;
  /** Whether the last attempt was begun and nobody knows how it ended: the process died in it. */
  readonly interrupted: boolean;
  readonly error: string | null;
  readonly createdAt: number;
}

/** What is put into a queue. */
export interface NewItem {
  /** No second item with it is taken, for as long as the first is remembered. */
  readonly key: string;
  readonly lane: string;
  readonly content: string;
}

/** How an attempt ended. */
export type Ending =
  | { readonly state: 'done'; readonly keepContent: boolean }
  | { readonly state: 'dead'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly dueAt: number };

/** A queue's statements. Those that write are to be run within a transaction. */
export interface Queue {
  /** Adds an item at the end of its lane; `false` when its key is known. */
  add(item: NewItem, now: number): boolean;
  knows(key: string): boolean;
  /** The item of a key, or `null`. */
  find(key: string): Item | null;
  /**
   * Takes lanes that are due, for a time, and begins the item whose turn it is in each. Lanes that the owner works
   * on already are left alone, also when it was so busy that they fell due.
   */
  take(owner: string, held: ReadonlySet<string>, limit: number, now: number, until: number): Item[];
  /** Keeps lanes for longer. */
  renew(owner: string, lanes: Iterable<string>, until: number): void;
  /** Ends an attempt. Begins the lane's next item where `goOn` is set and there is one; else frees the lane. */
  end(owner: string, item: Item, ending: Ending, now: number, goOn: boolean): Item | null;
  /** Gives lanes back untouched. */
  release(owner: string): void;
  /** When the next free lane falls due, or `null`. */
  nextDueAt(): number | null;
  /** How many wait, and how many are remembered because they are done. */
  stats(): { readonly pending: number; readonly remembered: number };
  /** Forgets up to `limit` items done before a time; tells how many. */
  prune(doneBefore: number, limit: number): number;
}

/** Makes the statements of a queue. */
export function createQueue(database: Database, name: 'inbox' | 'outbox'): Queue {
  const sql = (text: string) => database.prepare(text.replaceAll('$queue', name));
  const insert = sql(
    'INSERT INTO $queue (key, lane, content, created_at, changed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const openLane = sql('INSERT INTO $queue_lane (lane, due_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const known = sql('SELECT * FROM $queue WHERE key = ?');
  const dueLanes = sql(
    'SELECT lane FROM $queue_lane WHERE due_at <= ? AND leased_until <= ? ORDER BY due_at LIMIT ?',
  );
  const takeLane = sql('UPDATE $queue_lane SET owner = ?, leased_until = ? WHERE lane = ?');
  const renewLane = sql('UPDATE $queue_lane SET leased_until = ? WHERE lane = ? AND owner = ?');
  const ownLane = sql('SELECT 1 FROM $queue_lane WHERE lane = ? AND owner = ?');
  const freeLane = sql('UPDATE $queue_lane SET owner = NULL, leased_until = 0, due_at = ? WHERE lane = ?');
  const closeLane = sql('DELETE FROM $queue_lane WHERE lane = ?');
  const releaseLanes = sql('UPDATE $queue_lane SET owner = NULL, leased_until = 0 WHERE owner = ?');
  const first = sql("SELECT * FROM $queue WHERE lane = ? AND state = 'waiting' ORDER BY seq LIMIT 1");
  const begin = sql('UPDATE $queue SET attempts = attempts + 1, begun = 1, changed_at = ? WHERE seq = ?');
  const settle = sql(
    'UPDATE $queue SET state = ?, error = ?, content = ?, begun = 0, changed_at = ? WHERE seq = ?',
  );
  const soonest = sql('SELECT min(due_at) AS due FROM $queue_lane WHERE leased_until = 0');
  const counts = sql(
    "SELECT (SELECT count(*) FROM $queue WHERE state = 'waiting') AS pending, (SELECT count(*) FROM $queue WHERE state = 'done') AS remembered",
  );
  const forget = sql(
    "DELETE FROM $queue WHERE seq IN (SELECT seq FROM $queue WHERE state = 'done' AND changed_at < ? LIMIT ?)",
  );

  const beginNext = (lane: string, now: number): Item | null => {
    const row = first.get(lane);
    if (!row) {
      closeLane.run(lane);
      return null;
    }
    const item = toItem(row);
    begin.run(now, item.seq);
    return { ...item, attempts: item.attempts + 1 };
  };

  return {
    add({ key, lane, content }, now) {
      const stored = toText(lane);
      if (Number(insert.run(toText(key), stored, content, now, now).changes) === 0) return false;
      openLane.run(stored, now);
      return true;
    },
    knows: (key) => known.get(toText(key)) !== undefined,
    find(key) {
      const row = known.get(toText(key));
      return row ? toItem(row) : null;
    },
    take(owner, held, limit, now, until) {
      const due = dueLanes.all(now, now, limit + held.size).map(({ lane }) => String(lane));
      const free = due.filter((lane) => !held.has(fromText(lane))).slice(0, limit);
      return free.flatMap((lane) => {
        takeLane.run(owner, until, lane);
        return beginNext(lane, now) ?? [];
      });
    },
    renew(owner, lanes, until) {
      for (const lane of lanes) renewLane.run(until, toText(lane), owner);
    },
    end(owner, item, ending, now, goOn) {
      // Whoever took the lane over, because this process seemed dead, has the say now.
      const lane = toText(item.lane);
      if (!ownLane.get(lane, owner)) return null;
      const error = 'error' in ending ? ending.error : null;
      const content = ending.state === 'done' && !ending.keepContent ? null : item.content;
      settle.run(ending.state, error, content, now, item.seq);
      if (ending.state !== 'waiting' && goOn) return beginNext(lane, now);
      freeLane.run(ending.state === 'waiting' ? ending.dueAt : now, lane);
      return null;
    },
    release: (owner) => void releaseLanes.run(owner),
    nextDueAt() {
      const due = soonest.get()?.due;
      return due === null || due === undefined ? null : Number(due);
    },
    stats() {
      const row = counts.get();
      return { pending: Number(row?.pending), remembered: Number(row?.remembered) };
    },
    prune: (doneBefore, limit) => Number(forget.run(doneBefore, limit).changes),
  };
}

/** Reads a row of a queue. */
export function toItem(row: Row): Item {
  return {
    seq: Number(row.seq),
    key: fromText(row.key),
    lane: fromText(row.lane),
    content: row.content === null ? null : String(row.content),
    state: row.state as Item['state'],
    attempts: Number(row.attempts),
    interrupted: Number(row.begun) === 1,
    error: row.error === null ? null : String(row.error),
    createdAt: Number(row.created_at),
  };
}
