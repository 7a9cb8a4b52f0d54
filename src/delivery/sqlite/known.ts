import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';
import { BUCKETS, bucketOf, placeOf, placesOf } from './hash.js';

/** What a queue knows: every item that it took, for a while. Each is to be run within a transaction. */
export interface Known {
  /** Notes an item. Its number, or `null` where its key is known already. */
  add(key: string, lane: string, now: number): number | null;
  /** Whether an item is known. Its key names its lane too. */
  has(key: string, lane: string): boolean;
  /** The numbers of up to `limit` items of a lane. */
  ofLane(lane: string, limit: number): number[];
  /** The number below which all items came before a time. */
  cameBefore(time: number): number;
  /** Forgets items by their numbers, which no other item will have. */
  remove(seqs: readonly number[]): void;
  /** Others have written: some items may be new, and some may be filed. */
  noticeOthers(): void;
  /** What is remembered may be wrong. */
  startOver(): void;
}

/**
 * So many items are known by their rows alone, before they are filed in the index a bucket at a time: what is filed
 * together lies together, while each item by itself would have a page of the index written for it, which costs as
 * much as all else that is done for it. Whoever writes remembers what is not filed; who reads goes through it,
 * which is done more often with what is sent.
 */
const UNFILED: Readonly<Record<QueueName, number>> = { inbox: 4_096, outbox: 64 };

/** So many items are filed with one statement. */
const SOME = 8;

/** Makes {@link Known}. */
export function createKnown(database: Database, name: QueueName): Known {
  const sql = (text: string) => database.prepare(text.replaceAll('$', `${name}_`));
  const know = sql('INSERT INTO $known (seq, key, lane, place, created_at) VALUES (?, ?, ?, ?, ?)');
  const isFiled = sql('SELECT 1 FROM $index WHERE place = ?');
  const isSame = sql('SELECT 1 FROM $index i JOIN $known k USING (seq) WHERE i.place = ? AND k.key = ?');
  const marks = sql(`SELECT bucket, upto FROM filed WHERE queue = '${name}'`);
  const isKey = sql('SELECT 1 FROM $known WHERE seq = ? AND key = ?');
  const since = sql('SELECT seq, place FROM $known WHERE seq > ? ORDER BY seq');
  const from = sql('SELECT seq, created_at FROM $known WHERE seq >= ? ORDER BY seq LIMIT 1');
  const file = sql('INSERT INTO $index (place, seq) VALUES (?, ?)');
  const fileSome = sql(
    `INSERT INTO $index (place, seq) VALUES ${Array.from({ length: SOME }, () => '(?, ?)').join(', ')}`,
  );
  const mark = sql(`UPDATE filed SET upto = ? WHERE queue = '${name}' AND bucket = ?`);
  const filedLane = sql(
    'SELECT seq FROM $index i JOIN $known k USING (seq) WHERE i.place >= ? AND i.place < ? AND k.lane = ? LIMIT ?',
  );
  const those = '$known WHERE seq IN (SELECT value FROM json_each(?))';
  const removeFiled = sql(`DELETE FROM $index WHERE (place, seq) IN (SELECT place, seq FROM ${those})`);
  const remove = sql(`DELETE FROM ${those}`);

  /** What is not filed, by bucket: of each item its place and its number, since objects would be work to collect. */
  const buckets: number[][] = Array.from({ length: BUCKETS }, () => []);
  let unfiled = 0;
  /** Up to which number each bucket is filed. */
  const upTo: number[] = Array.from({ length: BUCKETS }, () => 0);
  /** The highest number there was. */
  let last = 0;
  /** The bucket that is filed next. */
  let turn = 0;
  let stale = true;
  let wrong = true;

  const inBucket = (bucket: number): number[] => buckets[bucket] ?? [];

  const put = (place: number, seq: number): void => {
    inBucket(bucketOf(place)).push(place, seq);
    unfiled += 1;
  };

  const empty = (bucket: number, to: number): void => {
    unfiled -= inBucket(bucket).length / 2;
    buckets[bucket] = [];
    upTo[bucket] = to;
  };

  const isUnfiled = (place: number, key: string): boolean => {
    const items = inBucket(bucketOf(place));
    for (let at = 0; at < items.length; at += 2) {
      if (items[at] === place && isKey.get(items[at + 1] ?? 0, key)) return true;
    }
    return false;
  };

  const catchUp = (): void => {
    if (!stale) return;
    for (const row of marks.all()) {
      const bucket = Number(row.bucket);
      if (wrong || upTo[bucket] !== Number(row.upto)) empty(bucket, Number(row.upto));
    }
    if (wrong) last = Math.min(...upTo);
    for (const row of since.all(last)) {
      const [seq, place] = [Number(row.seq), Number(row.place)];
      last = seq;
      if (seq > (upTo[bucketOf(place)] ?? 0)) put(place, seq);
    }
    // Only what is filed is ever removed, so numbers only grow, and what is new is found behind the last.
    last = Math.max(last, ...upTo);
    stale = false;
    wrong = false;
  };

  const fileBucket = (bucket: number): void => {
    const items = inBucket(bucket);
    if (items.length === 0) return;
    const rows: [place: number, seq: number][] = [];
    for (let at = 0; at < items.length; at += 2) rows.push([items[at] ?? 0, items[at + 1] ?? 0]);
    rows.sort((one, other) => one[0] - other[0]);
    const values = rows.flat();
    let at = 0;
    for (; at + 2 * SOME <= values.length; at += 2 * SOME) fileSome.get(...values.slice(at, at + 2 * SOME));
    for (; at < values.length; at += 2) file.get(...values.slice(at, at + 2));
    mark.get(last, bucket);
    empty(bucket, last);
  };

  const makeRoom = (): void => {
    for (; unfiled > UNFILED[name]; turn = (turn + 1) % BUCKETS) fileBucket(turn);
  };

  const has = (key: string, place: number): boolean =>
    isUnfiled(place, key) || (isFiled.get(place) !== undefined && isSame.get(place, key) !== undefined);

  return {
    add(key, lane, now) {
      catchUp();
      const place = placeOf(lane, key);
      if (has(key, place)) return null;
      last += 1;
      know.get(last, key, lane, place, now);
      put(place, last);
      makeRoom();
      return last;
    },
    has(key, lane) {
      catchUp();
      return has(key, placeOf(lane, key));
    },
    ofLane(lane, limit) {
      catchUp();
      const places = placesOf(lane);
      fileBucket(bucketOf(places[0]));
      return filedLane.all(...places, lane, limit).map(({ seq }) => Number(seq));
    },
    cameBefore(time) {
      catchUp();
      let low = 0;
      let high = last + 1;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const row = from.get(middle);
        if (row && Number(row.created_at) < time) low = Number(row.seq) + 1;
        else high = middle;
      }
      return low;
    },
    remove(seqs) {
      if (seqs.length === 0) return;
      catchUp();
      for (const bucket of buckets.keys()) fileBucket(bucket);
      removeFiled.run(JSON.stringify(seqs));
      remove.run(JSON.stringify(seqs));
    },
    noticeOthers() {
      stale = true;
    },
    startOver() {
      stale = true;
      wrong = true;
    },
  };
}
