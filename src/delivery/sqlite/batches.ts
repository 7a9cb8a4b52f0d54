import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';
import { hashOf } from './hash.js';

/** An item that was begun as it came, and who is at it. */
export interface BegunItem {
  readonly seq: number;
  readonly owner: string;
  readonly content: string;
}

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
  /** How many of them are not over. */
  open: number;
  row: number;
}

/** An item that is not over. */
interface Open {
  readonly lane: string;
  readonly laneHash: number;
  readonly item: BegunItem;
  readonly batch: Batch;
}

const newBatch = (): Batch => ({ items: [], open: 0, row: 0 });

/** Makes {@link Batches}. */
export function createBatches(database: Database, name: QueueName): Batches {
  const sql = (text: string) => database.prepare(text.replaceAll('$', `${name}_batch`));
  const insert = sql('INSERT INTO $ (version, open, first, over, items, id) VALUES (?, ?, ?, ?, ?, ?)');
  const writeOver = sql('UPDATE $ SET version = ?, open = ?, first = ?, over = ?, items = ? WHERE id = ?');
  const read = sql('SELECT over, items FROM $ ORDER BY version');
  const remove = sql('DELETE FROM $ WHERE id = ?');
  const removeAll = sql('DELETE FROM $');

  /**
   * The items that are not over, in the order in which they came. They are few, and no map: a map in which much comes
   * and goes leaves tables behind that keep what was in them from being collected.
   */
  let open: Open[] = [];
  /** The batches that have rows. */
  let written: Batch[] = [];
  let coming = newBatch();
  let lastRow = 0;
  let version = 0;
  let changed = false;

  const startOver = (): void => {
    open = [];
    written = [];
    coming = newBatch();
    changed = false;
  };

  const takeOutAt = (index: number): BegunItem | undefined => {
    const [found] = index < 0 ? [] : open.splice(index, 1);
    if (!found) return undefined;
    found.batch.open -= 1;
    changed = true;
    return found.item;
  };

  /** Rows of batches that are over are written over: to free their pages is as much work as to fill them. */
  const freeRows = (): number[] => {
    const over = written.filter((batch) => batch.open === 0);
    if (over.length > 0) written = written.filter((batch) => batch.open > 0);
    return over.map(({ row }) => row);
  };

  const flush = (): void => {
    if (!changed) return;
    changed = false;
    const [oldest] = open;
    if (!oldest) {
      removeAll.get();
      startOver();
      return;
    }
    const [free, ...others] = freeRows();
    for (const row of others) remove.get(row);
    written.push(coming);
    const seqs = new Set(open.map(({ item }) => item.seq));
    const over = written.flatMap(({ items }) => items.map(({ seq }) => seq).filter((seq) => !seqs.has(seq)));
    version += 1;
    if (free === undefined) lastRow += 1;
    coming.row = free ?? lastRow;
    const write = free === undefined ? insert : writeOver;
    write.get(
      version,
      seqs.size,
      oldest.item.seq,
      JSON.stringify(over),
      writeItems(coming.items),
      coming.row,
    );
    coming = newBatch();
  };

  return {
    begin(lane, item) {
      coming.items.push(item);
      coming.open += 1;
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
      const found = read.all();
      if (found.length === 0) return [];
      removeAll.get();
      // Each row says of all rows what is over, so the newest has the say.
      const over = new Set(JSON.parse(String(found.at(-1)?.over)) as number[]);
      return found.flatMap(({ items }) => parseItems(String(items))).filter(({ seq }) => !over.has(seq));
    },
    flush,
    startOver,
  };
}

/** Items one after the other, each with its length before it: what they contain need not be looked at. */
const writeItems = (items: readonly BegunItem[]): string =>
  items.map(({ seq, owner, content }) => `${seq} ${owner} ${content.length} ${content}`).join('');

function parseItems(text: string): BegunItem[] {
  const items: BegunItem[] = [];
  const head = /(\d+) (\S+) (\d+) /y;
  while (head.lastIndex < text.length) {
    const [, seq, owner = '', length] = head.exec(text) ?? [];
    const start = head.lastIndex;
    head.lastIndex = start + Number(length);
    items.push({ seq: Number(seq), owner, content: text.slice(start, head.lastIndex) });
  }
  return items;
}
