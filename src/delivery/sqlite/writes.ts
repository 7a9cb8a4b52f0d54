import type { Claim, Conversation, ConversationChange, NewConversation } from '../../handoff/index.js';
import type { QueueName } from '../stored-queues.js';
import { createConversationTable } from './conversations.js';
import type { Database, Row } from './database.js';
import { createMarks } from './marks.js';
import { createPeople } from './people.js';
import {
  type Added,
  createQueue,
  type EndedItem,
  type Item,
  type ItemEnding,
  type NewItem,
  type Taker,
} from './queue.js';
import { createShelfWrites, type ShelfRows } from './shelf-writes.js';

/** How many of each kind were forgotten. */
export type Pruned = readonly number[];

/**
 * Everything that is written, each by a name and with plain data alone: who asks for it may be in another thread
 * than the database. Each is to be run within a transaction.
 */
export interface Writes {
  /** Stores an event and whose it is; begins it where its lane is free and somebody takes it. */
  accept(item: NewItem, people: readonly string[], taker: Taker | null, now: number): Added;
  add(queue: QueueName, item: NewItem, now: number): boolean;
  /** Takes lanes that are due, and tells when the next falls due. */
  take(
    queue: QueueName,
    taker: Taker,
    held: readonly string[],
    limit: number,
    now: number,
  ): { items: Item[]; dueAt: number | null };
  renew(queue: QueueName, taker: Taker, lanes: readonly string[]): void;
  end(
    queue: QueueName,
    owner: string,
    item: EndedItem,
    ending: ItemEnding,
    now: number,
    goOn: boolean,
  ): Item | null;
  /** Gives back all lanes of both queues. */
  release(owner: string): void;
  /** Forgets up to `limit` of each kind of what was over before a time. */
  prune(before: number, limit: number, now: number): Pruned;
  /** Removes everything of a person's conversations; tells how many items and conversations that were. */
  forgetPerson(personId: string): number;
  retry(queue: QueueName, id: string, now: number): boolean;
  discard(queue: QueueName, id: string): boolean;
  /** Changes nothing, and is written all the same. */
  touch(): void;
  claim(conversation: NewConversation, now: number): Claim;
  change(id: string, version: number, change: ConversationChange, now: number): Conversation | null;
  mark(key: string, until: number, now: number): boolean;
  unmark(key: string): void;
  moveCursor(name: string, from: string | null, to: string): boolean;
  lease(name: string, owner: string, until: number, now: number): boolean;
  letGo(name: string, owner: string): void;
  forgetConversations(personId: string): number;
  /** Forgets up to `limit` ended conversations, and as many notes whose time has passed. */
  pruneConversations(endedBefore: number, limit: number, now: number): Pruned;
  shelve(rows: ShelfRows, now: number): { docs: Row[]; entries: Row[] } | null;
  forgetLanes(lanes: readonly string[]): void;
  pruneShelf(kind: string, group: string, before: number): void;
}

/** Makes {@link Writes} of a database. The content of what was done is dropped unless it is to be kept. */
export function createWrites(database: Database, keepContent: boolean): Writes {
  const queues = {
    inbox: createQueue(database, 'inbox', keepContent),
    outbox: createQueue(database, 'outbox', keepContent),
  };
  const people = createPeople(database);
  const conversations = createConversationTable(database, keepContent);
  const marks = createMarks(database);
  const shelf = createShelfWrites(database);
  const version = database.prepare('PRAGMA user_version');

  return {
    accept(item, whose, taker, now) {
      const added = taker ? queues.inbox.addAndTake(taker, item, now) : queues.inbox.add(item, now);
      if (added !== false) for (const person of whose) people.note(person, item.conversationId, now);
      return added;
    },
    add: (queue, item, now) => queues[queue].add(item, now),
    take: (queue, taker, held, limit, now) => ({
      items: queues[queue].take(taker, held, limit, now),
      dueAt: queues[queue].nextDueAt(),
    }),
    renew: (queue, taker, lanes) => queues[queue].renew(taker, lanes),
    end: (queue, owner, item, ending, now, goOn) => queues[queue].end(owner, item, ending, now, goOn),
    release(owner) {
      for (const queue of Object.values(queues)) queue.release(owner);
    },
    prune: (before, limit, now) => [
      queues.inbox.prune(before, limit),
      queues.outbox.prune(before, limit),
      people.prune(before, limit),
      conversations.prune(before, limit),
      marks.prune(now, limit),
    ],
    forgetPerson(personId) {
      const lanes = people.lanesOf(personId);
      const removed = Object.values(queues).flatMap((queue) => lanes.map((lane) => queue.forget(lane)));
      shelf.forget(lanes);
      for (const lane of lanes) people.forget(lane);
      return removed.reduce((sum, count) => sum + count, conversations.forget(personId));
    },
    retry: (queue, id, now) => queues[queue].retry(id, now),
    discard: (queue, id) => queues[queue].discard(id),
    touch: () => database.exec(`PRAGMA user_version = ${Number(version.get()?.user_version)}`),
    claim: (conversation, now) => conversations.add(conversation, now),
    change: (id, of, change, now) => conversations.change(id, of, change, now),
    mark: (key, until, now) => marks.mark(key, until, now),
    unmark: (key) => marks.unmark(key),
    moveCursor: (name, from, to) => marks.moveCursor(name, from, to),
    lease: (name, owner, until, now) => marks.lease(name, owner, until, now),
    letGo: (name, owner) => marks.release(name, owner),
    forgetConversations: (personId) => conversations.forget(personId),
    pruneConversations: (endedBefore, limit, now) => [
      conversations.prune(endedBefore, limit),
      marks.prune(now, limit),
    ],
    shelve: (rows, now) => shelf.write(rows, now),
    forgetLanes: (lanes) => shelf.forget(lanes),
    pruneShelf: (kind, group, before) => shelf.prune(kind, group, before),
  };
}
