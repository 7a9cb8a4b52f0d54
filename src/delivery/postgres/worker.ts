import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createPending, within } from '../../internal/index.js';
import type { QueueName } from '../stored-queues.js';
import type { Attempt, Ending } from '../work.js';
import type { Database } from './database.js';
import { type Item, type JobData, toItem } from './job.js';
import { createPace } from './pace.js';
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
  readonly attempt: Attempt;
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

/** So many times of what is worked on side by side. */
const MOST_HELD = 8;

/** How long to give back what could not be finished. */
const RELEASE_WITHIN_MS = 1_000;

/** Makes a {@link Worker}. It looks for work at once, and again whenever it is woken. */
export function createWorker(parts: WorkerParts): Worker {
  const { database, queue, settle, concurrency, leaseMs, pollMs, attempt, onEnd, onFull, trouble } = parts;
  const pace = createPace({ concurrency, ahead: queue === 'inbox' });
  /** What was fetched and is not written down as ended. */
  const held = new Map<string, Item>();
  /** What of it waits for a free hand. */
  let ready: Item[] = [];
  const running = createPending();
  const naps = new Set<NodeJS.Timeout>();
  let busy = 0;
  let stopped = false;
  let looking: Promise<void> | undefined;
  let asked = false;

  const workOff = async (first: Item): Promise<void> => {
    const latest = (): Item => held.get(first.id) ?? first;
    running.enter();
    for (let goOn = true; goOn; ) {
      busy += 1;
      const ending = await new Promise<Ending>((resolve) => attempt(latest(), resolve));
      busy -= 1;
      pace.ended();
      beginReady();
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

  const beginReady = (): void => {
    const free = Math.max(0, concurrency - busy);
    if (stopped || free === 0 || ready.length === 0) return;
    const begun = ready.slice(0, free);
    ready = ready.slice(free);
    for (const item of begun) void workOff(item);
  };

  /** What is done and is being written down takes no room, unless too much of it gathers. */
  const room = (): number => Math.min(pace.room(busy + ready.length), concurrency * MOST_HELD - held.size);

  const look = async (): Promise<void> => {
    // All that ends in this turn of the event loop makes room.
    await turn();
    const pauseMs = room() > 0 ? pace.pauseMs(room()) : 0;
    if (pauseMs > 0) await sleep(pauseMs);
    const batchSize = room();
    if (batchSize <= 0 || stopped) return;
    const boss = await database.boss();
    const began = performance.now();
    const jobs = await boss.fetch<JobData>(queue, { batchSize, includeMetadata: queue === 'outbox' });
    pace.looked(batchSize, jobs.length, performance.now() - began);
    const items = jobs.map(toItem);
    if (stopped) return settle.giveBack(items);
    // After an outage somebody may have taken over what is still under way here; it must not run twice.
    ready.push(...items.filter(({ id }) => !held.has(id)));
    for (const item of items) held.set(item.id, item);
    beginReady();
    if (items.length === batchSize) onFull();
  };

  const giveBackReady = async (): Promise<void> => {
    const items = ready.map((item) => held.get(item.id) ?? item);
    ready = [];
    if (items.length === 0) return;
    await settle.giveBack(items);
    for (const { id } of items) held.delete(id);
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

  /** Where the database hangs, no heap of those that wait for it comes into being. */
  let showing = false;
  const showLife = async (): Promise<void> => {
    if (showing) return;
    showing = true;
    await liveOn().catch(trouble);
    showing = false;
  };

  const poll = setInterval(wake, pollMs);
  const signs = setInterval(() => void showLife(), leaseMs / 5);
  wake();

  return {
    wake,
    isFull: () => busy + ready.length >= concurrency,
    async stop(timeoutMs) {
      stopped = true;
      clearInterval(poll);
      for (const nap of naps) clearTimeout(nap);
      await within(giveBackReady().catch(trouble), Math.max(1, Math.min(timeoutMs, RELEASE_WITHIN_MS)));
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
