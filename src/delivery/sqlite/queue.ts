import type { QueueName } from '../stored-queues.js';
import { fromText, toText } from '../text.js';
import type { Ending, Work } from '../work.js';
import type { Database, Row } from './database.js';

/** What a queue holds. Its receipt is known by its key. */
export interface Item extends Work {
  readonly seq: number;
  readonly state: 'waiting' | 'done' | 'dead';
  readonly error: string | null;
}

/** What is put into a queue. */
export interface NewItem {
  /** No second item with it is taken, for as long as the first is remembered. */
  readonly key: string;
  readonly conversationId: string;
  readonly content: string;
}

/** Who takes a conversation for itself, and until when. */
export interface Taker {
  readonly owner: string;
  readonly until: number;
}

/** What became of an item that was added: `false` when its key is known; its number where it was begun at once. */
export type Added = number | boolean;

/** An item whose attempt has ended. */
export type EndedItem = Pick<Item, 'seq' | 'conversationId'>;

/** How an attempt ended, as far as it is noted. */
export type ItemEnding = Pick<Ending, 'state'> & {
  readonly error?: string;
  readonly afterMs?: number;
  readonly postponed?: boolean;
};

/** A queue's statements. Those that write are to be run within a transaction. */
export interface Queue {
  /** Adds an item at the end of its lane; `false` when its key is known. */
  add(item: NewItem, now: number): boolean;
  /** Adds an item, and where its lane is free takes that and begins the item. */
  addAndTake(taker: Taker, item: NewItem, now: number): Added;
  knows(key: string): boolean;
  /** The item of a key, or `null`. */
  find(key: string): Item | null;
  /**
   * Takes lanes that are due, for a time, and begins the item whose turn it is in each. Lanes that the owner works
   * on already are left alone, also when it was so busy that they fell due.
   */
  take(taker: Taker, held: readonly string[], limit: number, now: number): Item[];
  /** Keeps lanes for longer. */
  renew(taker: Taker, lanes: readonly string[]): void;
  /** Ends an attempt. Begins the lane's next item where `goOn` is set and there is one; else frees the lane. */
  end(owner: string, item: EndedItem, ending: ItemEnding, now: number, goOn: boolean): Item | null;
  /** Gives lanes back untouched. */
  release(owner: string): void;
  /** When the next free lane falls due, or `null`. */
  nextDueAt(): number | null;
  /** How many wait, and how many are remembered because they are done. */
  stats(): { readonly pending: number; readonly remembered: number };
  /** Forgets up to `limit` items done before a time; tells how many. */
  prune(doneBefore: number, limit: number): number;
  /** Lets a dead item be tried again. `false`: it is not dead. */
  retry(id: string, now: number): boolean;
  /** Removes a dead item. `false`: it is not dead. */
  discard(id: string): boolean;
  /** Removes everything of a lane; tells how many items. */
  forget(conversationId: string): number;
}

/** Makes the statements of a queue. The content of what was done is dropped unless it is to be kept. */
export function createQueue(database: Database, name: QueueName, keepContent = false): Queue {
  const sql = (text: string) => database.prepare(text.replaceAll('$queue', name));
  const insert = sql(
    'INSERT INTO $queue (key, lane, content, attempts, begun, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const openLane = sql(
    'INSERT INTO $queue_lane (lane, due_at, owner, leased_until) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
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
  const settle = (content: string) =>
    sql(
      `UPDATE $queue SET state = ?, error = ?, content = ${content}, attempts = attempts - ?, begun = 0, changed_at = ? WHERE seq = ? AND EXISTS (SELECT 1 FROM $queue_lane WHERE lane = ? AND owner = ?)`,
    );
  const finish = settle(keepContent ? 'content' : 'NULL');
  const note = settle('content');
  const soonest = sql('SELECT min(due_at) AS due FROM $queue_lane WHERE leased_until = 0');
  const counts = sql(
    "SELECT (SELECT count(*) FROM $queue WHERE state = 'waiting') AS pending, (SELECT count(*) FROM $queue WHERE state = 'done') AS remembered",
  );
  const forgetDone = sql(
    "DELETE FROM $queue WHERE seq IN (SELECT seq FROM $queue WHERE state = 'done' AND changed_at < ? LIMIT ?)",
  );

  const forgetLane = sql('DELETE FROM $queue WHERE lane = ?');
  const revive = sql(
    "UPDATE $queue SET state = 'waiting', attempts = 0 WHERE seq = ? AND state = 'dead' RETURNING lane",
  );
  const reopenLane = sql(
    'INSERT INTO $queue_lane (lane, due_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET due_at = excluded.due_at',
  );
  const discard = sql("DELETE FROM $queue WHERE seq = ? AND state = 'dead'");

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
    add({ key, conversationId, content }, now) {
      const lane = toText(conversationId);
      if (Number(insert.run(toText(key), lane, content, 0, 0, now, now).changes) === 0) return false;
      openLane.run(lane, now, null, 0);
      return true;
    },
    addAndTake({ owner, until }, { key, conversationId, content }, now) {
      const lane = toText(conversationId);
      const free = Number(openLane.run(lane, now, owner, until).changes) === 1;
      const begun = free ? 1 : 0;
      const { changes, lastInsertRowid } = insert.run(toText(key), lane, content, begun, begun, now, now);
      if (Number(changes) === 0) {
        if (free) closeLane.run(lane);
        return false;
      }
      return free ? Number(lastInsertRowid) : true;
    },
    knows: (key) => known.get(toText(key)) !== undefined,
    find(key) {
      const row = known.get(toText(key));
      return row ? toItem(row) : null;
    },
    take({ owner, until }, held, limit, now) {
      const own = new Set(held);
      const due = dueLanes.all(now, now, limit + own.size).map(({ lane }) => String(lane));
      const free = due.filter((lane) => !own.has(fromText(lane))).slice(0, limit);
      return free.flatMap((lane) => {
        takeLane.run(owner, until, lane);
        return beginNext(lane, now) ?? [];
      });
    },
    renew({ owner, until }, lanes) {
      for (const lane of lanes) renewLane.run(until, toText(lane), owner);
    },
    end(owner, item, ending, now, goOn) {
      const lane = toText(item.conversationId);
      const { state, error = null, afterMs = 0, postponed = false } = ending;
      const waits = state === 'waiting';
      const statement = state === 'done' ? finish : note;
      const { changes } = statement.run(state, error, postponed ? 1 : 0, now, item.seq, lane, owner);
      // It was forgotten meanwhile; or another took the lane over, since this process seemed dead, and has the say now.
      if (Number(changes) === 0 && !ownLane.get(lane, owner)) return null;
      if (!waits && goOn) return beginNext(lane, now);
      freeLane.run(waits ? now + Math.ceil(afterMs) : now, lane);
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
    prune: (doneBefore, limit) => Number(forgetDone.run(doneBefore, limit).changes),
    retry(id, now) {
      const row = revive.get(id);
      if (row) reopenLane.run(String(row.lane), now);
      return row !== undefined;
    },
    discard: (id) => Number(discard.run(id).changes) > 0,
    forget: (conversationId) => Number(forgetLane.run(toText(conversationId)).changes),
  };
}

/** Reads a row of a queue. */
export function toItem(row: Row): Item {
  const key = fromText(row.key);
  return {
    id: key,
    seq: Number(row.seq),
    key,
    conversationId: fromText(row.lane),
    content: row.content === null ? null : String(row.content),
    state: row.state as Item['state'],
    attempts: Number(row.attempts),
    interrupted: Number(row.begun) === 1,
    error: row.error === null ? null : String(row.error),
    createdAt: Number(row.created_at),
  };
}
