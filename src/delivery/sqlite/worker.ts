import { setTimeout as sleep } from 'node:timers/promises';
import { createPending, within } from '../../events/index.js';
import type { GroupCommit } from './group-commit.js';
import type { Ending, Item, Queue } from './queue.js';

/** What {@link createWorker} needs. */
export interface WorkerParts {
  readonly queue: Queue;
  readonly commit: GroupCommit;
  /** Who this process is, among those that share the file. */
  readonly owner: string;
  /** How many lanes are worked on side by side. */
  readonly concurrency: number;
  /** How long a lane stays this process's without a sign of life. */
  readonly leaseMs: number;
  /** How often to look for what other processes have stored. */
  readonly pollMs: number;
  /** Makes one attempt. Never rejects. */
  readonly attempt: (item: Item) => Promise<Ending>;
  /** Hears that the database cannot be written. The worker goes on trying. */
  readonly onTrouble: (error: unknown) => void;
}

/** Does what is in a queue: one item at a time per lane, lanes side by side. */
export interface Worker {
  /** There may be something to do. */
  wake(): void;
  /** Begins nothing more and waits for what runs. Tells how many still ran when the time was up. */
  stop(timeoutMs: number): Promise<number>;
}

/** How long to wait before a failed write is tried again. */
const WRITE_AGAIN_MS = 250;

/** Makes a {@link Worker}. It looks for work at once, and again whenever it is woken. */
export function createWorker(parts: WorkerParts): Worker {
  const { queue, commit, owner, concurrency, leaseMs, pollMs, attempt, onTrouble } = parts;
  const held = new Set<string>();
  const running = createPending();
  let stopped = false;
  let looking = false;
  let asked = false;
  let nap: NodeJS.Timeout | undefined;

  /** What was done must be noted, however long the disk is full: else it would be done again. */
  const note = async <Result>(change: () => Result): Promise<Result | null> => {
    for (;;) {
      try {
        return await commit.write(change);
      } catch (error) {
        onTrouble(error);
        // Nobody waits any more: the lane falls to whoever comes next.
        if (stopped) return null;
        await sleep(WRITE_AGAIN_MS);
      }
    }
  };

  const workOff = async (first: Item): Promise<void> => {
    held.add(first.lane);
    running.enter();
    for (let item: Item | null = first; item; ) {
      const current: Item = item;
      const ending = await attempt(current);
      item = await note(() => queue.end(owner, current, ending, Date.now(), !stopped));
    }
    held.delete(first.lane);
    running.leave();
    wake();
  };

  const look = async (): Promise<number> => {
    const now = Date.now();
    const room = concurrency - held.size;
    if (room <= 0) return pollMs;
    const { items, dueAt } = await commit.write(() => ({
      items: queue.take(owner, held, room, now, now + leaseMs),
      dueAt: queue.nextDueAt(),
    }));
    for (const item of items) void workOff(item);
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
    async stop(timeoutMs) {
      stopped = true;
      clearTimeout(nap);
      await within(running.idle(), timeoutMs);
      clearInterval(renewal);
      return running.count;
    },
  };
}
