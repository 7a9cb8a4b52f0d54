import type { DeliveredEvent } from '../../events/index.js';
import { createPending, within } from '../../internal/index.js';
import type { Acceptance } from '../delivery.js';
import { peopleOf, storeBody } from '../stored-event.js';
import type { QueueName } from '../stored-queues.js';
import type { Attempt, Ending } from '../work.js';
import { createHands } from './hands.js';
import { createHeldLanes } from './held-lanes.js';
import type { Added, Item } from './queue.js';
import type { Writer } from './writer.js';

/** What {@link createWorker} needs. */
export interface WorkerParts {
  readonly queue: QueueName;
  readonly writer: Writer;
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
  /** Stores an event, and begins it as soon as it is on disk where nothing else of its lane waits and hands are free. */
  store(event: DeliveredEvent): Promise<Acceptance>;
  /** Begins nothing more and waits for what runs. Tells how many still ran when the time was up. */
  stop(timeoutMs: number): Promise<number>;
}

/** How long to wait before a failed write is tried again. */
const WRITE_AGAIN_MS = 250;

/** The end of an attempt for which there was no hand, or no time left. */
const NOT_BEGUN: Ending = { state: 'waiting', error: 'it was not begun', afterMs: 0, postponed: true };

/** Makes a {@link Worker}. It looks for work at once, and again whenever it is woken. */
export function createWorker(parts: WorkerParts): Worker {
  const { queue, writer, concurrency, leaseMs, pollMs, attempt, onTrouble } = parts;
  /** KeyedQueue that are worked on, also those whose item is done and being noted. */
  const held = createHeldLanes();
  /** Events on their way to the disk that are begun as soon as they are there. */
  let storing = 0;
  /** What is begun in the next turn. */
  let begun: Item[] = [];
  const running = createPending();
  /** Whether something may wait that is not in a lane of ours: only then is it worth looking. */
  let left = true;
  let stopped = false;
  let looking = false;
  let asked = false;
  let nap: NodeJS.Timeout | undefined;

  /** What was done must be noted, however long the disk is full: else it would be done again. */
  const end = (item: Item, ending: Ending, goOnWith: (next: Item | null) => void): void => {
    const { seq, conversationId, attempts } = item;
    const goOn = !stopped && hands.isFree();
    const asker = {
      done(next: Item | null) {
        // Noted now and not before: who has looked meanwhile has left this lane alone.
        left ||= !goOn || ending.state === 'waiting';
        goOnWith(next);
      },
      failed(error: unknown) {
        onTrouble(error);
        // Nobody waits any more: the lane falls to whoever comes next.
        if (stopped) return goOnWith(null);
        setTimeout(() => end(item, ending, goOnWith), WRITE_AGAIN_MS);
      },
    };
    if (ending.state === 'done') {
      writer.ask(asker, 'finish', queue, seq, conversationId, attempts, Date.now(), goOn);
    } else {
      writer.ask(asker, 'end', queue, { seq, conversationId }, ending, Date.now(), goOn);
    }
  };

  const leave = ({ conversationId }: Item): void => {
    held.leave(conversationId);
    running.leave();
    if (left) wake();
  };

  const hands = createHands<Item>({
    concurrency,
    work: (item, over) =>
      attempt(item, (ending) => {
        over();
        end(item, ending, (next) => (next ? hands.begin(next) : leave(item)));
      }),
    giveBack: (item) => end(item, NOT_BEGUN, () => leave(item)),
  });

  /** How many more items may be begun. */
  const room = (): number => hands.room() - storing;

  const beginAll = (): void => {
    const items = begun;
    begun = [];
    for (const item of items) hands.begin(item);
  };

  /** Senders are answered first: a handler may take long before it lets anything else happen. */
  const beginSoon = (item: Item): void => {
    begun.push(item);
    if (begun.length === 1) setImmediate(beginAll);
  };

  const store: Worker['store'] = (event) =>
    new Promise((resolve) => {
      const { key, conversationId, name, receivedAt, requestId } = event;
      const mine = room() > 0 && !held.has(conversationId);
      if (mine) {
        held.enter(conversationId);
        storing += 1;
      }
      const arrive = (isBegun: boolean): void => {
        if (!mine) return;
        storing -= 1;
        if (!isBegun) held.leave(conversationId);
      };
      const now = Date.now();
      const asker = {
        done(added: Added) {
          const isBegun = typeof added === 'number';
          arrive(isBegun);
          if (isBegun) {
            running.enter();
            beginSoon(begunItem(event, added, now));
          }
          resolve(added === false ? 'duplicate' : 'stored');
          if (added !== true) return;
          left = true;
          wake();
        },
        failed(error: unknown) {
          arrive(false);
          onTrouble(error);
          resolve('unavailable');
        },
      };
      const body = storeBody(event);
      writer.ask(
        asker,
        'accept',
        key,
        conversationId,
        body,
        name,
        receivedAt,
        requestId,
        mine,
        now,
        ...peopleOf(event),
      );
    });

  const look = async (): Promise<number> => {
    const now = Date.now();
    const limit = room();
    if (limit <= 0) return pollMs;
    left = false;
    const { items, dueAt } = await writer.write('take', queue, held.all(), limit, now);
    for (const item of items) {
      held.enter(item.conversationId);
      running.enter();
      hands.begin(item);
    }
    left ||= items.length === limit;
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
    if (held.size > 0) writer.write('renew', Date.now()).catch(onTrouble);
  }, leaseMs / 3);
  wake();

  return {
    wake,
    store,
    async stop(timeoutMs) {
      stopped = true;
      clearTimeout(nap);
      hands.stop();
      await within(running.idle(), timeoutMs);
      clearInterval(renewal);
      return running.count;
    },
  };
}

/** An event that was begun as it was stored. */
const begunItem = (event: DeliveredEvent, seq: number, now: number): Item => ({
  id: event.key,
  seq,
  key: event.key,
  conversationId: event.conversationId,
  content: null,
  attempts: 1,
  interrupted: false,
  createdAt: now,
  event,
});
