import { setTimeout as sleep } from 'node:timers/promises';
import { createPending, type DeliveredEvent, within } from '../../events/index.js';
import type { Attempt, Ending } from '../work.js';
import type { GroupCommit } from './group-commit.js';
import type { Item, NewItem, Queue } from './queue.js';

/** What {@link createWorker} needs. */
export interface WorkerParts {
  readonly queue: Queue;
  readonly commit: GroupCommit;
  /** Whether what became of an item must outlive a power cut before the worker goes on. */
  readonly lasting: boolean;
  /** Who this process is, among those that share the file. */
  readonly owner: string;
  /** How many lanes are worked on side by side. */
  readonly concurrency: number;
  /** How long a lane stays this process's without a sign of life. */
  readonly leaseMs: number;
  /** How often to look for what other processes have stored. */
  readonly pollMs: number;
  readonly attempt: Attempt;
  /** Hears that the database cannot be written. The worker goes on trying. */
  readonly onTrouble: (error: unknown) => void;
}

/** Does what is in a queue: one item at a time per lane, lanes side by side. */
export interface Worker {
  /** There may be something to do. */
  wake(): void;
  /**
   * Stores an item, and begins it as soon as it is on disk where nothing else of its lane waits and a hand is free.
   * `false`: its key is known. `also` is done in the same commit.
   */
  store(item: NewItem, event: DeliveredEvent, also: (now: number) => void): Promise<boolean>;
  /** Begins nothing more and waits for what runs. Tells how many still ran when the time was up. */
  stop(timeoutMs: number): Promise<number>;
}

/** How long to wait before a failed write is tried again. */
const WRITE_AGAIN_MS = 250;

/** The end of an attempt for which there was no time left. */
const NOT_BEGUN: Ending = {
  state: 'waiting',
  error: 'the process ended before it was begun',
  afterMs: 0,
  postponed: true,
};

/** Makes a {@link Worker}. It looks for work at once, and again whenever it is woken. */
export function createWorker(parts: WorkerParts): Worker {
  const { queue, commit, lasting, owner, concurrency, leaseMs, pollMs, attempt, onTrouble } = parts;
  /** Lanes that are worked on, also those whose item is done and being noted. */
  const held = new Set<string>();
  /** Hands that are taken. */
  let busy = 0;
  const running = createPending();
  let stopped = false;
  let looking = false;
  let asked = false;
  let nap: NodeJS.Timeout | undefined;

  /** What was done must be noted, however long the disk is full: else it would be done again. */
  const end = async (item: Item, ending: Ending): Promise<Item | null> => {
    for (;;) {
      let next: Item | null = null;
      const note = (): void => {
        next = queue.end(owner, item, ending, Date.now(), !stopped && busy < concurrency);
        if (next) busy += 1;
      };
      try {
        await commit.write(note, lasting);
        return next;
      } catch (error) {
        if (next) busy -= 1;
        onTrouble(error);
        // Nobody waits any more: the lane falls to whoever comes next.
        if (stopped) return null;
        await sleep(WRITE_AGAIN_MS);
      }
    }
  };

  /** Works off what is begun in a lane. Each item has taken a hand before it comes here. */
  const workOff = async (first: Item): Promise<void> => {
    running.enter();
    for (let item: Item | null = first; item; ) {
      const ending: Ending = await attempt(item);
      busy -= 1;
      item = await end(item, ending);
    }
    held.delete(first.conversationId);
    running.leave();
    wake();
  };

  const store: Worker['store'] = async (item, event, also) => {
    const lane = item.conversationId;
    const mine = !stopped && busy < concurrency && !held.has(lane);
    if (mine) {
      held.add(lane);
      busy += 1;
    }
    const add = (): Item | boolean => {
      const now = Date.now();
      const added = mine ? queue.addAndTake(owner, item, now, now + leaseMs) : queue.add(item, now);
      if (added) also(now);
      return added;
    };
    let added: Item | boolean = false;
    try {
      added = await commit.write(add);
    } finally {
      if (mine && typeof added === 'boolean') {
        held.delete(lane);
        busy -= 1;
      }
    }
    if (added === true) wake();
    if (typeof added === 'boolean') return added;
    const begun = { ...added, event };
    running.enter();
    // The sender is answered first: a handler may take long before it lets anything else happen.
    setImmediate(() => {
      if (!stopped) void workOff(begun);
      else commit.write(() => queue.end(owner, begun, NOT_BEGUN, Date.now(), false)).catch(onTrouble);
      running.leave();
    });
    return true;
  };

  const look = async (): Promise<number> => {
    const now = Date.now();
    const room = concurrency - busy;
    if (room <= 0) return pollMs;
    const { items, dueAt } = await commit.write(
      () => ({ items: queue.take(owner, held, room, now, now + leaseMs), dueAt: queue.nextDueAt() }),
      lasting,
    );
    for (const item of items) {
      held.add(item.conversationId);
      busy += 1;
      void workOff(item);
    }
    if (items.length > 0 || dueAt === null) return pollMs;
    return Math.min(pollMs, Math.max(1, dueAt - Date.now()));
  };

  const wake = (): void => {
    asked = true;
    if (looking || stopped) return;
    looking = true;
    clearTimeout(nap);
    void lookWhileAsked();
  };

  const lookWhileAsked = async (): Promise<void> => {
    let rest = pollMs;
    while (asked && !stopped) {
      asked = false;
      try {
        rest = await look();
      } catch (error) {
        onTrouble(error);
      }
    }
    looking = false;
    if (!stopped) nap = setTimeout(wake, rest);
  };

  const renewal = setInterval(() => {
    if (held.size > 0) commit.write(() => queue.renew(owner, held, Date.now() + leaseMs)).catch(onTrouble);
  }, leaseMs / 3);
  wake();

  return {
    wake,
    store,
    async stop(timeoutMs) {
      stopped = true;
      clearTimeout(nap);
      await within(running.idle(), timeoutMs);
      clearInterval(renewal);
      return running.count;
    },
  };
}
