import type { QueueName } from '../stored-queues.js';
import { fromText, toText } from '../text.js';
import type { Ending, Work } from '../work.js';
import type { BegunItem } from './batch-rows.js';
import { createBatches } from './batches.js';
import type { Database, Row } from './database.js';
import { createKnown } from './known.js';

/** What a queue has to do. Its receipt is known by its key. */
export interface Item extends Work {
  readonly seq: number;
}

/** What is put into a queue. */
export interface NewItem {
  /** No second item with it is taken, for as long as the first is remembered. */
  readonly key: string;
  readonly conversationId: string;
  /** One part after the other. */
  readonly content: readonly string[];
}

/** What became of an item that was added: `false` when its key is known; its number where it was begun at once. */
export type Added = number | boolean;

/** An item whose attempt has ended. */
export type EndedItem = Pick<Item, 'seq' | 'conversationId'>;

/** How an attempt ended that has not done what it should. */
export type ItemEnding = Pick<Exclude<Ending, { state: 'done' }>, 'state' | 'error'> & {
  readonly afterMs?: number;
  readonly postponed?: boolean;
};

/** A queue's writes, each to be run within a transaction. */
export interface Queue {
  /** Adds an item at the end of its lane. Where an owner asks for it and the lane is free, takes it and begins the item. */
  add(owner: string | null, item: NewItem, now: number): Added;
  /**
   * Takes lanes that are due, and begins the item whose turn it is in each. KeyedQueue that the owner works on already are
   * left alone, also when others have given them free.
   */
  take(owner: string, held: readonly string[], limit: number, now: number): Item[];
  /** Ends an attempt that has done what it should. Begins the lane's next item where `goOn` is set; else frees the lane. */
  finish(
    owner: string,
    seq: number,
    conversationId: string,
    attempts: number,
    now: number,
    goOn: boolean,
  ): Item | null;
  /** The same for one that has not, and is tried again or parked. */
  end(owner: string, item: EndedItem, ending: ItemEnding, now: number, goOn: boolean): Item | null;
  /** Gives all lanes of an owner back. What it had begun is begun anew by whoever takes them. */
  release(owner: string): void;
  /** When the next free lane falls due, or `null`. */
  nextDueAt(): number | null;
  /** Forgets up to `limit` items that came before a time and are done; tells how many. */
  prune(before: number, limit: number): number;
  /** Lets a dead item be tried again. `false`: it is not dead. */
  retry(id: string, now: number): boolean;
  /** Removes a dead item. `false`: it is not dead. */
  discard(id: string): boolean;
  /** Removes up to `limit` items of a lane, whatever their state; tells how many. */
  forget(conversationId: string, limit: number): number;
  knows(key: string, conversationId: string): boolean;
  /** Puts what was begun as it came where it can be listed. */
  settle(): void;
  /** Others have written to the file. */
  noticeOthers(): void;
  /** What is remembered may be wrong: nothing was written yet, or what was written last was undone. */
  startOver(): void;
  /** Writes down what is left to write. It must be done before every commit. */
  flush(): void;
}

/** An item that goes where all can see it, and who asks to begin it. */
type QueuedItem = Omit<BegunItem, 'owner'> & { readonly owner: string | null };

/** Larger items are kept by themselves. */
const MOST_BATCHED_CHARACTERS = 16_384;

/** While others write to the file, what is begun must be where they find it. They give a sign more often than this. */
const ALONE_AFTER_MS = 10_000;

/** Makes the writes of a queue. The content of what was done is dropped unless it is to be kept. */
export function createQueue(database: Database, name: QueueName, keepContent: boolean): Queue {
  const sql = (text: string) => database.prepare(text.replaceAll('$', `${name}_`));
  const known = createKnown(database, name);
  const batches = createBatches(database, name);
  const knownItem = sql('SELECT lane, created_at FROM $known WHERE seq = ?');
  const isOpen = sql('SELECT 1 FROM $lane WHERE lane = ?');
  const anyLane = sql('SELECT 1 FROM $lane LIMIT 1');
  const insert = sql('INSERT INTO $work (seq, lane, state, attempts, content) VALUES (?, ?, ?, ?, ?)');
  const openLane = sql(
    'INSERT INTO $lane (lane, due_at, owner, item) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const dueLanes = sql(
    'SELECT lane, item FROM $lane WHERE owner IS NULL AND due_at <= ? ORDER BY due_at LIMIT ?',
  );
  const takeLane = sql('UPDATE $lane SET owner = ?, item = ? WHERE lane = ?');
  const ownLane = sql('SELECT 1 FROM $lane WHERE lane = ? AND owner = ?');
  const freeLane = sql('UPDATE $lane SET owner = NULL, item = NULL, due_at = ? WHERE lane = ?');
  const closeLane = sql('DELETE FROM $lane WHERE lane = ?');
  const closeIfEmpty = sql(
    "DELETE FROM $lane WHERE lane = ?1 AND owner = ?2 AND NOT EXISTS (SELECT 1 FROM $work WHERE lane = ?1 AND state = 'waiting')",
  );
  const releaseLanes = sql('UPDATE $lane SET owner = NULL WHERE owner = ?');
  const columns = 'w.*, k.key, k.created_at FROM $work w JOIN $known k USING (seq)';
  const first = sql(
    `SELECT ${columns} WHERE w.seq = (SELECT min(seq) FROM $work WHERE lane = ? AND state = 'waiting')`,
  );
  const begun = sql(`SELECT ${columns} WHERE w.seq = ? AND w.state = 'begun'`);
  const begin = sql("UPDATE $work SET state = 'begun', attempts = attempts + 1 WHERE seq = ?");
  const keep = sql(
    "INSERT OR REPLACE INTO $kept SELECT seq, content FROM $work WHERE seq = ? AND state = 'begun'",
  );
  const remove = sql("DELETE FROM $work WHERE seq = ? AND state = 'begun'");
  const noteAttempts = sql('UPDATE $known SET attempts = ? WHERE seq = ?');
  const note = sql(
    "UPDATE $work SET state = ?, error = ?, attempts = attempts - ? WHERE seq = ? AND state = 'begun'",
  );
  const soonest = sql('SELECT min(due_at) AS due FROM $lane WHERE owner IS NULL');
  const done = sql(
    'SELECT seq FROM $known k WHERE seq < ? AND NOT EXISTS (SELECT 1 FROM $work w WHERE w.seq = k.seq) ORDER BY seq LIMIT ?',
  );
  const revive = sql(
    "UPDATE $work SET state = 'waiting', attempts = 0 WHERE seq = ? AND state = 'dead' RETURNING lane",
  );
  const reopenLane = sql(
    'INSERT INTO $lane (lane, due_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET due_at = excluded.due_at',
  );
  const removeDead = sql("DELETE FROM $work WHERE seq = ? AND state = 'dead'");
  const those = '(SELECT value FROM json_each(?))';
  const forgetWork = sql(`DELETE FROM $work WHERE seq IN ${those}`);
  const forgetKept = sql(`DELETE FROM $kept WHERE seq IN ${those}`);

  /** From when on nobody else is believed to write to the file. */
  let aloneFrom = 0;

  /** Whether any lane may be open: where all is begun as it comes, none is, and none need be looked for. */
  let hasLanes = true;

  /** Puts an item at the end of its lane. Tells whether it is begun, which it is where somebody asks and the lane was free. */
  const queueUp = (lane: string, { seq, owner, content }: QueuedItem, now: number): boolean => {
    hasLanes = true;
    const wasFree = Number(openLane.run(lane, now, owner, owner === null ? null : seq).changes) === 1;
    const begins = wasFree && owner !== null;
    insert.get(seq, lane, begins ? 'begun' : 'waiting', begins ? 1 : 0, content.join(''));
    return begins;
  };

  const settleItem = (item: BegunItem): void => {
    const row = knownItem.get(item.seq);
    if (row) queueUp(String(row.lane), item, Number(row.created_at));
  };

  const settleLane = (lane: string): void => {
    const item = batches.takeOut(lane);
    if (item) settleItem(item);
  };

  const settle = (): void => {
    for (const item of batches.takeAllOut()) settleItem(item);
  };

  /** Begins what is next in a lane: what was begun when its process went away, or else the first that waits. */
  const beginNext = (owner: string, lane: string, item: Row[string] = null): Item | null => {
    const row = (item === null ? undefined : begun.get(Number(item))) ?? first.get(lane);
    if (!row) {
      closeLane.run(lane);
      return null;
    }
    const next = toItem(row);
    begin.run(next.seq);
    takeLane.run(owner, next.seq, lane);
    return next;
  };

  /** One attempt, which is what most items take, is noted when they come. */
  const close = (seq: number, attempts: number): void => {
    if (keepContent) keep.run(seq);
    remove.get(seq);
    if (attempts > 1) noteAttempts.run(attempts, seq);
  };

  const forgetDone = (seqs: readonly number[]): number => {
    forgetKept.run(JSON.stringify(seqs));
    known.remove(seqs);
    return seqs.length;
  };

  return {
    add(owner, { key, conversationId, content }, now) {
      const lane = toText(conversationId);
      const seq = known.add(toText(key), lane, now);
      if (seq === null) return false;
      settleLane(lane);
      const isBatched =
        owner !== null && !keepContent && lengthOf(content) <= MOST_BATCHED_CHARACTERS && now >= aloneFrom;
      if (isBatched && !(hasLanes && isOpen.get(lane))) {
        batches.begin(lane, { seq, owner, content });
        return seq;
      }
      return queueUp(lane, { seq, owner, content }, now) ? seq : true;
    },
    take(owner, held, limit, now) {
      const own = new Set(held);
      const due = dueLanes.all(now, limit + own.size);
      const free = due.filter(({ lane }) => !own.has(fromText(lane))).slice(0, limit);
      return free.flatMap(({ lane, item }) => beginNext(owner, String(lane), item ?? null) ?? []);
    },
    finish(owner, seq, conversationId, attempts, now, goOn) {
      if (batches.finish(seq)) return null;
      const lane = toText(conversationId);
      if (Number(closeIfEmpty.run(lane, owner).changes) === 1) {
        close(seq, attempts);
        return null;
      }
      // Another took the lane over, since this process seemed dead, and has the say now.
      if (!ownLane.get(lane, owner)) return null;
      close(seq, attempts);
      if (goOn) return beginNext(owner, lane);
      freeLane.run(now, lane);
      return null;
    },
    end(owner, { seq, conversationId }, { state, error, afterMs = 0, postponed = false }, now, goOn) {
      const lane = toText(conversationId);
      settleLane(lane);
      if (!ownLane.get(lane, owner)) return null;
      note.run(state, error, postponed ? 1 : 0, seq);
      if (state === 'dead' && goOn) return beginNext(owner, lane);
      freeLane.run(state === 'dead' ? now : now + Math.ceil(afterMs), lane);
      return null;
    },
    release(owner) {
      settle();
      releaseLanes.run(owner);
    },
    nextDueAt() {
      const due = soonest.get()?.due;
      return due === null || due === undefined ? null : Number(due);
    },
    prune(before, limit) {
      settle();
      return forgetDone(done.all(known.cameBefore(before), limit).map(({ seq }) => Number(seq)));
    },
    retry(id, now) {
      const row = revive.get(id);
      if (!row) return false;
      settleLane(String(row.lane));
      hasLanes = true;
      reopenLane.run(String(row.lane), now);
      return true;
    },
    discard(id) {
      if (Number(removeDead.run(id).changes) === 0) return false;
      known.remove([Number(id)]);
      return true;
    },
    forget(conversationId, limit) {
      settle();
      const seqs = known.ofLane(toText(conversationId), limit);
      forgetWork.run(JSON.stringify(seqs));
      return forgetDone(seqs);
    },
    knows: (key, conversationId) => known.has(toText(key), toText(conversationId)),
    settle,
    noticeOthers() {
      aloneFrom = Date.now() + ALONE_AFTER_MS;
      hasLanes = true;
      known.noticeOthers();
      settle();
    },
    startOver() {
      hasLanes = true;
      known.startOver();
      batches.startOver();
      settle();
    },
    flush() {
      batches.flush();
      hasLanes &&= anyLane.get() !== undefined;
    },
  };
}

const lengthOf = (parts: readonly string[]): number => parts.reduce((sum, { length }) => sum + length, 0);

const toItem = (row: Row): Item => {
  const key = fromText(row.key);
  return {
    id: key,
    seq: Number(row.seq),
    key,
    conversationId: fromText(row.lane),
    content: row.content === null ? null : String(row.content),
    attempts: Number(row.attempts) + 1,
    interrupted: row.state === 'begun',
    createdAt: Number(row.created_at),
  };
};
