import type { Conversation, ConversationChange, CreateResult, NewConversation } from '../../handoff/index.js';
import { storedParts } from '../stored-event.js';
import type { QueueName } from '../stored-queues.js';
import { createConversationTable } from './conversations.js';
import type { Database, Row } from './database.js';
import { createMarks } from './marks.js';
import { createOwners, type Taker } from './owners.js';
import { createPeople } from './people.js';
import {
  type Added,
  createQueue,
  type EndedItem,
  type Item,
  type ItemEnding,
  type NewItem,
  type Queue,
} from './queue.js';
import { createShelfWrites, type ShelfRows } from './shelf-writes.js';

/** How many of each kind were forgotten. */
export type Pruned = readonly number[];

/**
 * Everything that is written, each by a name and with plain data alone: who asks for it may be in another thread
 * than the database. Each is to be run within a transaction.
 */
export interface Writes {
  /**
   * Stores an event and whose it is; begins it where that is asked for and its lane is free. It comes in
   * parts, since to join them is work that need not be done where requests are answered.
   */
  accept(
    key: string,
    conversationId: string,
    body: string,
    name: string,
    receivedAt: number,
    requestId: string,
    begin: boolean,
    now: number,
    ...people: readonly string[]
  ): Added;
  /** Whether an event is known. */
  knows(key: string, conversationId: string): boolean;
  /** Stores a reply. `false`: its key is known. */
  addReply(item: NewItem, now: number): boolean;
  /** Takes lanes that are due, those of processes that are gone too, and tells when the next falls due. */
  take(
    queue: QueueName,
    held: readonly string[],
    limit: number,
    now: number,
  ): { items: Item[]; dueAt: number | null };
  /** Says that this process lives. */
  renew(now: number): void;
  /** Ends an attempt that has done what it should; the next item of the lane is begun where `goOn` is set. */
  finish(
    queue: QueueName,
    seq: number,
    conversationId: string,
    attempts: number,
    now: number,
    goOn: boolean,
  ): Item | null;
  /** The same for one that has not. */
  end(queue: QueueName, item: EndedItem, ending: ItemEnding, now: number, goOn: boolean): Item | null;
  /** Gives back all lanes of this process, in both queues. */
  release(): void;
  /** Forgets up to `limit` of each kind of what was over before a time. */
  prune(before: number, limit: number, now: number): Pruned;
  /** Removes up to `limit` of a queue's items that are of some conversations; tells how many. */
  forgetItems(queue: QueueName, conversationIds: readonly string[], limit: number): number;
  /** Removes everything of a person's conversations, and the conversations; tells how many items and conversations. */
  forgetPerson(personId: string): number;
  retry(queue: QueueName, id: string, now: number): boolean;
  discard(queue: QueueName, id: string): boolean;
  /** Changes nothing, and is written all the same. */
  touch(): void;
  claim(conversation: NewConversation, now: number): CreateResult;
  change(id: string, version: number, change: ConversationChange, now: number): Conversation | null;
  mark(key: string, until: number, now: number): boolean;
  unmark(key: string): void;
  moveCursor(name: string, from: string | null, to: string): boolean;
  lease(name: string, holder: string, until: number, now: number): boolean;
  letGo(name: string, holder: string): void;
  forgetConversations(personId: string): number;
  /** Forgets up to `limit` ended conversations, and as many notes whose time has passed. */
  pruneConversations(endedBefore: number, limit: number, now: number): Pruned;
  shelve(rows: ShelfRows, now: number): { docs: Row[]; entries: Row[] } | null;
  forgetLanes(lanes: readonly string[]): void;
  pruneShelf(kind: string, group: string, before: number): void;
  /** Puts what was begun as it came where it can be listed. */
  settle(): void;
  /** Others have written to the file: what is remembered of it may have changed. */
  noticeOthers(): void;
  /** What is remembered may be wrong: nothing was written yet, or what was written last was undone. */
  startOver(): void;
  /** Writes down what is left to write. It must be done before every commit. */
  flush(): void;
}

/** Who writes, and how. */
export interface WritesOptions {
  /** Whether the content of what was done is kept. */
  readonly keepContent: boolean;
  /** Who this process is, among those that share the file. */
  readonly owner: string;
  /** How long what it works on stays its own without a sign of life. */
  readonly leaseMs: number;
}

const QUEUES = ['inbox', 'outbox'] as const;

/** Makes {@link Writes} of a database. */
export function createWrites(database: Database, { keepContent, owner, leaseMs }: WritesOptions): Writes {
  const queues = {
    inbox: createQueue(database, 'inbox', keepContent),
    outbox: createQueue(database, 'outbox', keepContent),
  };
  const owners = createOwners(database);
  const people = createPeople(database);
  const conversations = createConversationTable(database, keepContent);
  const marks = createMarks(database);
  const shelf = createShelfWrites(database);
  const version = database.prepare('PRAGMA user_version');

  const forBoth = (act: (queue: Queue) => void): void => {
    act(queues.inbox);
    act(queues.outbox);
  };
  const releaseAll = (whose: string): void => forBoth((queue) => queue.release(whose));
  const forgetItems = (queue: QueueName, lanes: readonly string[], limit: number): number => {
    let removed = 0;
    for (const lane of lanes) removed += queues[queue].forget(lane, limit - removed);
    return removed;
  };
  const distrust = (): void => {
    owners.distrust();
    people.distrust();
  };
  const takerAt = (now: number): Taker => ({ owner, until: now + leaseMs });

  return {
    accept(key, conversationId, body, name, receivedAt, requestId, begin, now, ...whose) {
      if (begin) owners.hold(takerAt(now), now);
      const content = storedParts(body, name, receivedAt, requestId);
      const added = queues.inbox.add(begin ? owner : null, { key, conversationId, content }, now);
      if (added !== false) for (const person of whose) people.note(person, conversationId, now);
      return added;
    },
    knows: (key, conversationId) => queues.inbox.knows(key, conversationId),
    addReply(item, now) {
      const added = queues.outbox.add(null, item, now);
      if (added !== false) people.seen(item.conversationId, now);
      return added !== false;
    },
    take(queue, held, limit, now) {
      owners.hold(takerAt(now), now);
      for (const gone of owners.takeGone(now)) releaseAll(gone);
      return { items: queues[queue].take(owner, held, limit, now), dueAt: queues[queue].nextDueAt() };
    },
    renew: (now) => owners.renew(takerAt(now)),
    finish: (queue, seq, conversationId, attempts, now, goOn) =>
      queues[queue].finish(owner, seq, conversationId, attempts, now, goOn),
    end: (queue, item, ending, now, goOn) => queues[queue].end(owner, item, ending, now, goOn),
    release() {
      releaseAll(owner);
      owners.forget(owner);
    },
    prune(before, limit, now) {
      const items = Object.values(queues).map((queue) => queue.prune(before, limit));
      // Whose a conversation is must be known for as long as anything of it is.
      const rest = items.includes(limit) ? 0 : people.prune(before, limit);
      return [...items, rest, conversations.prune(before, limit), marks.prune(now, limit)];
    },
    forgetItems,
    forgetPerson(personId) {
      const lanes = people.lanesOf(personId);
      const items = QUEUES.map((queue) => forgetItems(queue, lanes, Number.MAX_SAFE_INTEGER));
      shelf.forget(lanes);
      for (const lane of lanes) people.forget(lane);
      return items.reduce((sum, count) => sum + count, conversations.forget(personId));
    },
    retry: (queue, id, now) => queues[queue].retry(id, now),
    discard: (queue, id) => queues[queue].discard(id),
    touch: () => database.exec(`PRAGMA user_version = ${Number(version.get()?.user_version)}`),
    claim: (conversation, now) => conversations.add(conversation, now),
    change: (id, of, change, now) => conversations.change(id, of, change, now),
    mark: (key, until, now) => marks.mark(key, until, now),
    unmark: (key) => marks.unmark(key),
    moveCursor: (name, from, to) => marks.moveCursor(name, from, to),
    lease: (name, holder, until, now) => marks.lease(name, holder, until, now),
    letGo: (name, holder) => marks.release(name, holder),
    forgetConversations: (personId) => conversations.forget(personId),
    pruneConversations: (endedBefore, limit, now) => [
      conversations.prune(endedBefore, limit),
      marks.prune(now, limit),
    ],
    shelve: (rows, now) => shelf.write(rows, now),
    forgetLanes: (lanes) => shelf.forget(lanes),
    pruneShelf: (kind, group, before) => shelf.prune(kind, group, before),
    settle: () => forBoth((queue) => queue.settle()),
    noticeOthers() {
      distrust();
      forBoth((queue) => queue.noticeOthers());
    },
    startOver() {
      distrust();
      forBoth((queue) => queue.startOver());
    },
    flush: () => forBoth((queue) => queue.flush()),
  };
}
