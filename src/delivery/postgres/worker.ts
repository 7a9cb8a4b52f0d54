import { createPending, within } from '../../events/index.js';
import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';
import type { Ending } from './ending.js';
import { type Item, type JobData, toItem } from './job.js';
import type { Settle } from './settle.js';
import { takeOver } from './take-over.js';
import type { Trouble } from './trouble.js';

/** What {@link createWorker} needs. */
export interface WorkerParts {
  readonly database: Database;
  readonly queue: QueueName;
  readonly settle: Settle;
  /** How many conversations are worked on side by side. */
  readonly concurrency: number;
  /** How long an item stays with a process that gives no sign of life. */
  readonly leaseMs: number;
  /** How often to look, where nothing says that there is something. */
  readonly pollMs: number;
  /** Makes one attempt. Never rejects. */
  readonly attempt: (item: Item) => Promise<Ending>;
  /** Hears what became of an attempt, once that is written down. */
  readonly onEnd: (ending: Ending) => void;
  /** Hears that there may be more to do than there are hands here. */
  readonly onFull: () => void;
  readonly trouble: Trouble;
}

/** Does what is in a queue: one item at a time per conversation, conversations side by side. */
export interface Worker {
  /** There may be something to do. */
  wake(): void;
  /** Whether all hands are full. */
  isFull(): boolean;
  /** Begins nothing more and waits for what runs. Tells how many still ran when the time was up. */
  stop(timeoutMs: number): Promise<number>;
}

/** How long to give back what could not be finished. */
const RELEASE_WITHIN_MS = 1_000;

/** Makes a {@link Worker}. It looks for work at once, and again whenever it is woken. */
export function createWorker(parts: WorkerParts): Worker {
  const { database, queue, settle, concurrency, leaseMs, pollMs, attempt, onEnd, onFull, trouble } = parts;
  const held = new Map<string, Item>();
  const running = createPending();
  const naps = new Set<NodeJS.Timeout>();
  let busy = 0;
  let stopped = false;
  let looking: Promise<void> | undefined;
  let asked = false;

  const workOff = async (first: Item): Promise<void> => {
    const latest = (): Item => held.get(first.id) ?? first;
    held.set(first.id, first);
    running.enter();
    for (let goOn = true; goOn; ) {
      busy += 1;
      const ending = await attempt(latest());
      busy -= 1;
      wake();
      const claim = await settle.end(() => latest().claim, ending);
      onEnd(ending);
      if (ending.state === 'waiting') wakeIn(ending.afterMs);
      // Its next attempt may have been fetched while the end of this one was being written down.
      goOn = latest().claim !== claim;
      if (!goOn || !stopped) continue;
      await settle.giveBack([latest()]).catch(trouble);
      break;
    }
    held.delete(first.id);
    running.leave();
    wake();
  };

  const look = async (): Promise<void> => {
    // What is done and is being written down takes no room, unless too much of it gathers.
    const room = Math.min(concurrency - busy, concurrency * 4 - held.size);
    if (room <= 0) return;
    const boss = await database.boss();
    const jobs = await boss.fetch<JobData>(queue, { batchSize: room, includeMetadata: true });
    const items = jobs.map(toItem);
    if (stopped) return settle.giveBack(items);
    for (const item of items) {
      // After an outage somebody may have taken over what is still under way here; it must not run twice.
      if (held.has(item.id)) held.set(item.id, item);
      else void workOff(item);
    }
    if (items.length === room) onFull();
  };

  const wakeIn = (ms: number): void => {
    if (stopped) return;
    const nap = setTimeout(() => {
      naps.delete(nap);
      wake();
    }, ms);
    naps.add(nap);
  };

  const wake = (): void => {
    asked = true;
    if (looking || stopped) return;
    looking = lookWhileAsked();
  };

  const lookWhileAsked = async (): Promise<void> => {
    while (asked && !stopped) {
      asked = false;
      try {
        await look();
      } catch (error) {
        trouble(error);
        asked = false;
      }
    }
    looking = undefined;
  };

  const liveOn = async (): Promise<void> => {
    const boss = await database.boss();
    const claims = [...held.values()].map(({ claim }) => claim);
    if (claims.length > 0) await boss.touch(queue, claims);
    // Who has just lost the database is not alone in that: the others need a moment to say that they live.
    if (Date.now() - trouble.lastAt() < leaseMs / 2) return;
    if (await takeOver({ database, queue, leaseMs, isHere: (id) => held.has(id) })) wake();
  };

  const poll = setInterval(wake, pollMs);
  const signs = setInterval(() => void liveOn().catch(trouble), leaseMs / 5);
  wake();

  return {
    wake,
    isFull: () => busy >= concurrency,
    async stop(timeoutMs) {
      stopped = true;
      clearInterval(poll);
      for (const nap of naps) clearTimeout(nap);
      await within(running.idle(), timeoutMs);
      const unfinished = running.count;
      clearInterval(signs);
      settle.stop();
      const give = async (): Promise<void> => {
        await looking;
        await settle.release([...held.values()]);
      };
      await within(give().catch(trouble), RELEASE_WITHIN_MS);
      return unfinished;
    },
  };
}
