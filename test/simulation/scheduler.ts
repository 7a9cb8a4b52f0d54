import type { Random } from './random.js';
import { runAs, type VirtualProcess } from './virtual-time.js';

/**
 * Runs a history: one event after another, in the order of virtual time.
 *
 * ```
 *   timers, answers of the storage, requests, replies ──► queue, by time ──► next event
 *                                                                              │
 *        its process is dead: dropped · is paused: later · dies or pauses now (before) · else it runs,
 *        and everything that follows from it without waiting: promises are settled before the next event
 * ```
 */
export interface Scheduler {
  /** Milliseconds since the history began. */
  readonly now: number;
  readonly random: Random;
  /**
   * Adds an event. Events of a process are dropped when it dies, and wait while it is paused. `danger`: how much likelier
   * than before others the process is paused before this one; default 1.
   */
  schedule(
    process: SimulatedProcess | null,
    afterMs: number,
    label: string,
    run: () => void,
    danger?: number,
  ): Scheduled;
  /** Runs events until the condition holds (`true`) or the time is up (`false`). */
  runUntil(isDone: () => boolean, limitMs: number): Promise<boolean>;
  /** Called before each event of a live process: this is where processes die and pause. */
  before: (process: SimulatedProcess, danger: number) => void;
  /** Adds a line to the trace. */
  trace(who: string, text: string): void;
  readonly lines: readonly string[];
}

/** An event that has not run yet. */
export interface Scheduled {
  cancel(): void;
}

/** A process, from its start to its end. */
export interface SimulatedProcess extends VirtualProcess {
  readonly name: string;
  isAlive: boolean;
  /** It runs nothing until then. */
  pausedUntil: number;
  /** Whether it was asked to stop, and gives up its conversations. */
  isStopping: boolean;
  /** Its name in the database. */
  owner: string | null;
}

interface Entry {
  at: number;
  order: number;
  readonly process: SimulatedProcess | null;
  readonly label: string;
  readonly danger: number;
  run: (() => void) | null;
}

/** The wall clock at the beginning of a history. */
const EPOCH = 1_800_000_000_000;

/** After a pause, what has become due runs within this time, in any order. */
const AFTER_PAUSE_MS = 2;

/** Creates a {@link Scheduler}. Without `isTraced` the trace stays empty, which is faster. */
export function createScheduler(random: Random, isTraced: boolean): Scheduler {
  const heap = createHeap();
  const lines: string[] = [];
  let now = 0;
  let order = 0;

  const push = (entry: Entry): Entry => {
    order += 1;
    entry.order = order;
    heap.push(entry);
    return entry;
  };
  const trace = (who: string, text: string): void => {
    if (isTraced) lines.push(`${now.toFixed(1).padStart(9)}  ${who.padEnd(9)} ${text}`);
  };

  const scheduler: Scheduler = {
    random,
    trace,
    lines,
    before: () => undefined,
    get now() {
      return now;
    },
    schedule(process, afterMs, label, run, danger = 1) {
      const entry = push({ at: now + Math.max(0, afterMs), order, process, label, danger, run });
      return {
        cancel() {
          entry.run = null;
        },
      };
    },
    async runUntil(isDone, limitMs) {
      const end = now + limitMs;
      for (;;) {
        if (isDone()) return true;
        const entry = heap.pop();
        if (!entry || entry.at > end) {
          if (entry) heap.push(entry);
          now = end;
          return false;
        }
        const { process, label, danger, run } = entry;
        if (!run || isDead(process)) continue;
        now = Math.max(now, entry.at);
        if (process) scheduler.before(process, danger);
        if (isDead(process)) continue;
        if (process && process.pausedUntil > now) {
          push(Object.assign(entry, { at: process.pausedUntil + random.between(0, AFTER_PAUSE_MS) }));
          continue;
        }
        if (label !== '') trace(process?.name ?? 'world', label);
        await runAs(process, run);
      }
    },
  };
  return scheduler;
}

const isDead = (process: SimulatedProcess | null): boolean => process?.isAlive === false;

/** The right time of day. */
export const wallClock = (now: number): number => Math.floor(EPOCH + now);

/** A binary heap of entries, the earliest first. */
function createHeap() {
  const items: Entry[] = [];
  const isBefore = (one: Entry | undefined, other: Entry | undefined): boolean =>
    one !== undefined &&
    other !== undefined &&
    (one.at < other.at || (one.at === other.at && one.order < other.order));
  const swap = (one: number, other: number): void => {
    const [first, second] = [items[one], items[other]];
    if (first && second) [items[one], items[other]] = [second, first];
  };

  return {
    push(entry: Entry): void {
      items.push(entry);
      for (let index = items.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(items[index], items[parent])) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop(): Entry | undefined {
      const [first] = items;
      const last = items.pop();
      if (!last || items.length === 0) return last;
      items[0] = last;
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2];
        const child = isBefore(items[right], items[left]) ? right : left;
        if (!isBefore(items[child], items[index])) return first;
        swap(index, child);
        index = child;
      }
    },
  };
}
