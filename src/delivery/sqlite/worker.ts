import { setTimeout as sleep } from 'node:timers/promises';
import { createPending, type DeliveredEvent, within } from '../../events/index.js';
import type { QueueName } from '../stored-queues.js';
import type { Attempt, Ending } from '../work.js';
import { createHeldLanes } from './held-lanes.js';
import type { Item, ItemEnding, NewItem, Taker } from './queue.js';
import type { Writer } from './writer.js';

/** What {@link createWorker} needs. */
export interface WorkerParts {
  readonly queue: QueueName;
  readonly writer: Writer;
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
   * `false`: its key is known.
   */
  store(item: NewItem, event: DeliveredEvent, people: readonly string[]): Promise<boolean>;
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
  const { queue, writer, owner, concurrency, leaseMs, pollMs, attempt, onTrouble } = parts;
  /** Lanes that are worked on, also those whose item is done and being noted. */
  const held = createHeldLanes();
  /** Hands that are taken. */
  let busy = 0;
  /** What was begun when no hand was free: others had taken them while it was on its way. */
  const ready: (() => void)[] = [];
  const running = createPending();
  /** Whether something may wait that is not in a lane of ours: only then is it worth looking. */
  let left = true;
  let stopped = false;
  let looking = false;
  let asked = false;
  let nap: NodeJS.Timeout | undefined;

  const takerAt = (now: number): Taker => ({ owner, until: now + leaseMs });

  const takeHand = (): Promise<void> | undefined => {
    if (busy >= concurrency) return new Promise((resolve) => ready.push(resolve));
    busy += 1;
    return undefined;
  };

  /** Whoever waits for a hand takes it over. */
  const freeHand = (): void => {
    const next = ready.shift();
    if (next) next();
    else busy -= 1;
  };

  /** What was done must be noted, however long the disk is full: else it would be done again. */
  const end = async ({ seq, conversationId }: Item, ending: Ending): Promise<Item | null> => {
    const noted: ItemEnding = ending.state === 'done' ? { state: 'done' } : ending;
    for (;;) {
      try {
        const goOn = !stopped && busy < concurrency;
        left ||= !goOn || noted.state === 'waiting';
        return await writer.write('end', queue, owner, { seq, conversationId }, noted, Date.now(), goOn);
      } catch (error) {
        onTrouble(error);
        // Nobody waits any more: the lane falls to whoever comes next.
        if (stopped) return null;
        await sleep(WRITE_AGAIN_MS);
      }
    }
  };

  /** Works off what is begun in a lane. The first item has taken a hand before it comes here. */
  const workOff = async (first: Item): Promise<void> => {
    running.enter();
    for (let item: Item | null = first; item; ) {
      const ending: Ending = await attempt(item);
      freeHand();
      item = await end(item, ending);
      if (item) await takeHand();
    }
    held.leave(first.conversationId);
    running.leave();
    if (left) wake();
  };

  const store: Worker['store'] = async (item, event, people) => {
    const lane = item.conversationId;
    const mine = !stopped && busy < concurrency && !held.has(lane);
    if (mine) {
      held.enter(lane);
      busy += 1;
    }
    const now = Date.now();
    let added: number | boolean = false;
    try {
      added = await writer.write('accept', item, people, mine ? takerAt(now) : null, now);
    } finally {
      if (mine && typeof added === 'boolean') {
        held.leave(lane);
        freeHand();
      }
    }
    if (added === true) {
      left = true;
      wake();
    }
    if (typeof added === 'boolean') return added;
    const begun = begunItem(item, added, event, now);
    running.enter();
    // The sender is answered first: a handler may take long before it lets anything else happen.
    setImmediate(() => {
      if (!stopped) void workOff(begun);
      else void end(begun, NOT_BEGUN);
      running.leave();
    });
    return true;
  };

  const look = async (): Promise<number> => {
    const now = Date.now();
    const room = concurrency - busy;
    if (room <= 0) return pollMs;
    left = false;
    const { items, dueAt } = await writer.write('take', queue, takerAt(now), held.all(), room, now);
    for (const item of items) {
      held.enter(item.conversationId);
      busy += 1;
      void workOff(item);
    }
    left ||= items.length === room;
    if (dueAt === null) return pollMs;
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
        left = true;
        onTrouble(error);
      }
    }
    looking = false;
    if (!stopped) nap = setTimeout(wake, rest);
  };

  const renewal = setInterval(() => {
    const lanes = held.all();
    if (lanes.length > 0) writer.write('renew', queue, takerAt(Date.now()), lanes).catch(onTrouble);
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

/** An item that was begun as it was stored. */
const begunItem = (
  { key, conversationId, content }: NewItem,
  seq: number,
  event: DeliveredEvent,
  now: number,
): Item => ({
  id: key,
  seq,
  key,
  conversationId,
  content,
  state: 'waiting',
  attempts: 1,
  interrupted: false,
  error: null,
  createdAt: now,
  event,
});
