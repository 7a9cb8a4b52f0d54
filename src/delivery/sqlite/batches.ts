import type { QueueName } from '../stored-queues.js';
import { type BegunItem, createBatchRows, type Slot } from './batch-rows.js';
import type { Database } from './database.js';
import { hashOf } from './hash.js';

/**
 * What was begun as it came and is not over: the items of one commit lie in one row, and their lanes in none, since most
 * of them are over with the next commit. Only one process at a time has any, and only it knows them; who else
 * writes to the file takes all of them out first. Each is to be run within a transaction.
 */
export interface Batches {
  /** Puts the item of a lane in, which must have no other. */
  begin(lane: string, item: BegunItem): void;
  /** An item is over. `false`: it is not among these. */
  finish(seq: number): boolean;
  /** Takes the item of a lane out, to be kept elsewhere. */
  takeOut(lane: string): BegunItem | undefined;
  /** Takes all out, also what other processes have put in. */
  takeAllOut(): BegunItem[];
  /** Writes down what has changed. It must be done before every commit. */
  flush(): void;
  /** What is remembered may be wrong. All must be taken out before anything else is done. */
  startOver(): void;
}

/** What came in one commit. */
interface Batch {
  readonly items: BegunItem[];
  /** The numbers of those that are over. */
  readonly over: number[];
  slot: Slot | null;
}

/** An item that is not over. */
interface Open {
  readonly lane: string;
  readonly laneHash: number;
  readonly item: BegunItem;
  readonly batch: Batch;
}

const newBatch = (): Batch => ({ items: [], over: [], slot: null });

const isOver = ({ items, over }: Batch): boolean => items.length === over.length;

/** Makes {@link Batches}. */
export function createBatches(database: Database, name: QueueName): Batches {
  const rows = createBatchRows(database, name);
  /**
   * The items that are not over, in the order in which they came. They are few, and no map: a map in which much comes
   * and goes leaves tables behind that keep what was in them from being collected.
   */
  let open: Open[] = [];
  /** The batches that have rows. */
  let written: Batch[] = [];
  let coming = newBatch();
  let version = 0;
  let changed = false;

  const startOver = (): void => {
    open = [];
    written = [];
    coming = newBatch();
    changed = false;
  };

  const takeOutAt = (index: number): BegunItem | undefined => {
    const found = open[index];
    if (!found) return undefined;
    open.splice(index, 1);
    found.batch.over.push(found.item.seq);
    changed = true;
    return found.item;
  };

  /** The rows of batches that are over are free for others. */
  const freeSlots = (): Slot[] => {
    const free = written.filter(isOver).flatMap(({ slot }) => slot ?? []);
    if (free.length > 0) written = written.filter((batch) => !isOver(batch));
    return free;
  };

  const flush = (): void => {
    if (!changed) return;
    changed = false;
    const oldest = open[0];
    if (!oldest) {
      rows.removeAll();
      startOver();
      return;
    }
    const free = freeSlots();
    written.push(coming);
    version += 1;
    const head = {
      version,
      open: open.length,
      first: oldest.item.seq,
      over: written.flatMap(({ over }) => over),
    };
    coming.slot = rows.write(head, coming.items, free);
    coming = newBatch();
  };

  return {
    begin(lane, item) {
      coming.items.push(item);
      open.push({ lane, laneHash: hashOf(lane), item, batch: coming });
      changed = true;
    },
    finish: (seq) => takeOutAt(open.findIndex(({ item }) => item.seq === seq)) !== undefined,
    takeOut(lane) {
      const hash = hashOf(lane);
      return takeOutAt(open.findIndex(({ laneHash, lane: other }) => laneHash === hash && other === lane));
    },
    takeAllOut() {
      flush();
      startOver();
      return rows.takeAll();
    },
    flush,
    startOver,
  };
}
