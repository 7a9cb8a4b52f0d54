import type { ItemFilter, QueueDepth, QueueName, StoredItem } from '../stored-queues.js';
import { toText } from '../text.js';
import type { Database, Row } from './database.js';
import { bucketOf, placeOf, placesOf } from './hash.js';

/** What can be read of a queue, also while others write to it. */
export interface QueueReads {
  /** What became of the item of a key so far, or `null`. */
  find(
    key: string,
    conversationId: string,
  ): { readonly state: StoredItem['state']; readonly error: string | null } | null;
  /** Items as rows, the oldest first. */
  list(filter: ItemFilter): Row[];
  /** The row of an item. */
  show(id: string): Row | undefined;
  depth(): QueueDepth;
  /** Whether there is something that only its writer can tell of. */
  hasBatches(): boolean;
  /** How many wait, and how many are remembered because they are done. */
  stats(): { readonly pending: number; readonly remembered: number };
}

/** Where an item may be: among those that the index has in its places, and among all that it has not got yet. */
const among = (places: string): string =>
  `k.seq IN (SELECT seq FROM $index WHERE ${places}
    UNION ALL SELECT seq FROM $known WHERE seq > (SELECT upto FROM filed WHERE queue || '_' = '$' AND bucket = ?))`;

/** The items of each state: what is begun is found through its lane. */
const IN_STATE: Readonly<Record<StoredItem['state'], string>> = {
  waiting: "k.seq IN (SELECT seq FROM $work WHERE state = 'waiting' UNION ALL SELECT item FROM $lane)",
  dead: "k.seq IN (SELECT seq FROM $work WHERE state = 'dead')",
  done: 'w.seq IS NULL',
};

const ITEM = `SELECT k.seq, k.lane, k.created_at, coalesce(w.attempts, k.attempts) AS attempts, w.error,
    CASE WHEN w.seq IS NULL THEN 'done' WHEN w.state = 'dead' THEN 'dead' ELSE 'waiting' END AS state,
    coalesce(w.content, kept.content) AS content
  FROM $known k LEFT JOIN $work w ON w.seq = k.seq LEFT JOIN $kept kept ON kept.seq = k.seq`;

const newestBatch = (field: string): string =>
  `SELECT head ->> '${field}' FROM $batch ORDER BY head ->> 'version' DESC LIMIT 1`;

const DEPTH = `SELECT waiting + begun + batched AS pending, dead, (SELECT created_at FROM $known WHERE seq = oldest) AS oldest
  FROM (SELECT
    coalesce((${newestBatch('open')}), 0) AS batched,
    (SELECT count(*) FROM $work WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM $lane l JOIN $work w ON w.seq = l.item WHERE w.state = 'begun') AS begun,
    (SELECT count(*) FROM $work WHERE state = 'dead') AS dead,
    (SELECT min(seq) FROM (
      SELECT min(seq) AS seq FROM $work WHERE state = 'waiting'
      UNION ALL SELECT * FROM (${newestBatch('first')})
      UNION ALL SELECT min(w.seq) FROM $lane l JOIN $work w ON w.seq = l.item WHERE w.state = 'begun')) AS oldest)`;

/** Makes {@link QueueReads}. */
export function createQueueReads(database: Database, name: QueueName): QueueReads {
  const sql = (text: string) => database.prepare(text.replaceAll('$', `${name}_`));
  const item = sql(`${ITEM} WHERE ${among('place = ?')} AND k.key = ?`);
  const shown = sql(`${ITEM} WHERE k.seq = ?`);
  const depth = sql(DEPTH);
  const batched = sql('SELECT 1 FROM $batch LIMIT 1');
  const count = sql('SELECT count(*) AS count FROM $known');

  return {
    find(key, conversationId) {
      const text = toText(key);
      const place = placeOf(toText(conversationId), text);
      const row = item.get(place, bucketOf(place), text);
      if (!row) return null;
      const error = row.error === null ? null : String(row.error);
      return { state: row.state as StoredItem['state'], error };
    },
    list({ state, conversationId, limit = 100 }) {
      const lane = conversationId === undefined ? null : toText(conversationId);
      const conditions = [
        ...(state === undefined ? [] : [IN_STATE[state]]),
        ...(lane === null ? [] : [`${among('place >= ? AND place < ?')} AND k.lane = ?`]),
      ];
      const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
      const values = lane === null ? [] : inLane(lane);
      return sql(`${ITEM} ${where} ORDER BY k.seq LIMIT ?`).all(...values, limit);
    },
    show: (id) => shown.get(id),
    hasBatches: () => batched.get() !== undefined,
    depth() {
      const row = depth.get();
      const oldest = row?.oldest ?? null;
      return {
        waiting: Number(row?.pending),
        dead: Number(row?.dead),
        oldestAt: oldest === null ? null : new Date(Number(oldest)),
      };
    },
    stats() {
      const row = depth.get();
      const pending = Number(row?.pending);
      return { pending, remembered: Number(count.get()?.count) - pending - Number(row?.dead) };
    },
  };
}

function inLane(lane: string): [from: number, to: number, bucket: number, lane: string] {
  const [from, to] = placesOf(lane);
  return [from, to, bucketOf(from), lane];
}
