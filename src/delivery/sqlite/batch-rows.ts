import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';

/** An item that was begun as it came, and who is at it. */
export interface BegunItem {
  readonly seq: number;
  readonly owner: string;
  /** One part after the other. */
  readonly content: readonly string[];
}

/** What a row says of all rows: the newest has the say. */
export interface BatchHead {
  readonly version: number;
  /** How many items are not over, and the lowest of them. */
  readonly open: number;
  readonly first: number;
  /** Those in any row that are over. */
  readonly over: readonly number[];
}

/** A row, and how much goes into it. */
export interface Slot {
  readonly id: number;
  readonly head: number;
  readonly content: number;
}

/** The rows in which items lie that were begun as they came. Each is to be run within a transaction. */
export interface BatchRows {
  /** Writes items into a row, into one of those that are free where one fits; the others are removed. */
  write(head: BatchHead, items: readonly BegunItem[], free: readonly Slot[]): Slot;
  /** Removes all rows, and gives what was in them and is not over. */
  takeAll(): BegunItem[];
  removeAll(): void;
}

/** The head as it is written. */
interface StoredHead extends BatchHead {
  /** Who is at items. */
  readonly owners: readonly string[];
  /** Of each item three numbers in a row: its own, which of the owners is at it, and how many bytes it has. */
  readonly items: readonly number[];
}

/** New rows have room for more than they need: a row that stays as large as it is is written over where it lies. */
const HEAD_STEP = 256;

/** Of a row so much lies in its first page, and so much in each of the others. All pages are filled. */
const FIRST_PAGE = 4_040;
const PAGE = 4_092;

/** A row that is so many times too large is not used for less. */
const TOO_LARGE = 4;

/** A character takes no more than so many bytes. */
const MOST_BYTES = 3;

const roundUp = (size: number, step: number): number => Math.max(0, Math.ceil(size / step)) * step;

/** Makes {@link BatchRows}. */
export function createBatchRows(database: Database, name: QueueName): BatchRows {
  const sql = (text: string) => database.prepare(text.replaceAll('$', `${name}_batch`));
  const insert = sql('INSERT INTO $ (head, content, id) VALUES (?, ?, ?)');
  const writeOver = sql('UPDATE $ SET head = ?, content = ? WHERE id = ?');
  const read = sql("SELECT head, content FROM $ ORDER BY head ->> 'version'");
  const remove = sql('DELETE FROM $ WHERE id = ?');
  const removeAll = sql('DELETE FROM $');
  let lastId = 0;
  /** Where contents are written one after another before they go into a row. */
  let bytes = Buffer.alloc(PAGE);

  const makeRoom = (size: number): void => {
    if (size > bytes.length) bytes = Buffer.concat([bytes], 2 * size);
  };

  /** Writes the contents of items, and says what is where. */
  const writeItems = (begun: readonly BegunItem[]): { owners: string[]; items: number[]; end: number } => {
    const owners: string[] = [];
    const items: number[] = [];
    let end = 0;
    for (const { seq, owner, content } of begun) {
      if (!owners.includes(owner)) owners.push(owner);
      const start = end;
      for (const part of content) {
        makeRoom(end + part.length * MOST_BYTES);
        end += bytes.write(part, end);
      }
      items.push(seq, owners.indexOf(owner), end - start);
    }
    return { owners, items, end };
  };

  /** What was written up to an end, and nothing behind it up to a size. */
  const written = (end: number, size: number): Buffer => {
    makeRoom(size);
    return bytes.fill(0, end, size).subarray(0, size);
  };

  const newSlot = (head: number, content: number): Slot => {
    lastId += 1;
    const room = roundUp(head + HEAD_STEP / 2, HEAD_STEP);
    return {
      id: lastId,
      head: room,
      content: FIRST_PAGE + roundUp(room + content - FIRST_PAGE, PAGE) - room,
    };
  };

  return {
    write(head, begun, free) {
      const { owners, items, end } = writeItems(begun);
      const { version, open, first, over } = head;
      const text = JSON.stringify({ version, open, first, over, owners, items } satisfies StoredHead);
      const fitting = free.find(
        (slot) =>
          slot.head >= text.length &&
          slot.content >= end &&
          slot.content <= Math.max(FIRST_PAGE, end * TOO_LARGE),
      );
      for (const slot of free) if (slot !== fitting) remove.get(slot.id);
      const slot = fitting ?? newSlot(text.length, end);
      const write = fitting ? writeOver : insert;
      write.get(text.padEnd(slot.head), written(end, slot.content), slot.id);
      return slot;
    },
    takeAll() {
      const found = read.all();
      if (found.length === 0) return [];
      removeAll.get();
      const heads = found.map(({ head }) => JSON.parse(String(head)) as StoredHead);
      const over = new Set(heads.at(-1)?.over);
      const items = heads.flatMap((head, nth) => readItems(head, found[nth]?.content));
      return items.filter(({ seq }) => !over.has(seq));
    },
    removeAll: () => void removeAll.get(),
  };
}

function readItems({ owners, items }: StoredHead, content: unknown): BegunItem[] {
  const bytes = Buffer.from(content as Uint8Array);
  const found: BegunItem[] = [];
  let end = 0;
  for (let at = 0; at < items.length; at += 3) {
    const [seq = 0, owner = 0, length = 0] = items.slice(at, at + 3);
    found.push({ seq, owner: owners[owner] ?? '', content: [bytes.toString('utf8', end, end + length)] });
    end += length;
  }
  return found;
}
