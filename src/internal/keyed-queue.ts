import { createKeyHash } from './key-hash.js';
import { createPending } from './pending.js';

/** Runs tasks one at a time per key, in the order they came, and tasks of different keys side by side. */
export interface KeyedQueue {
  /** Runs a task when all earlier ones of the key have ended, however they ended. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** The same for a task that may be done when it returns; then so is this, where the key was free. */
  run<Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
  /** How many tasks run or wait. */
  readonly pending: number;
}

interface Lane {
  readonly key: string;
  readonly chain: number;
  /** The next lane of the chain. */
  after: Lane | null;
  /** Settles when the last task of the lane has ended. */
  tail: Promise<unknown> | null;
}

/** How many chains the lanes are spread over: enough for as many lanes as are ever busy at once. */
const CHAINS = 1024;

/** Makes {@link KeyedQueue}. A key costs memory only while it has a task. */
export function createKeyedQueue(): KeyedQueue {
  const table = createTable();
  const pending = createPending();

  const leave = (lane: Lane, turn: Promise<unknown>): void => {
    if (lane.tail === turn) table.remove(lane);
    pending.leave();
  };

  const run = <Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result> => {
    pending.enter();
    const busy = table.find(key);
    const turn = busy?.tail ? busy.tail.then(task, task) : attempt(task);
    if (!(turn instanceof Promise)) {
      pending.leave();
      return turn;
    }
    const lane = busy ?? table.laneOf(key);
    lane.tail = turn;
    const end = (): void => leave(lane, turn);
    turn.then(end, end);
    return turn;
  };

  return {
    run,
    idle: () => pending.idle(),
    get pending() {
      return pending.count;
    },
  };
}

/** What a task throws at once is what its promise would be rejected with. */
function attempt<Result>(task: () => Result | Promise<Result>): Result | Promise<Result> {
  try {
    return task();
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * The busy lanes by key. Not a `Map`: each table that a map has outgrown points to the next, so once one of them is
 * old, all that follow are kept with what was in them until the next full collection, and keys come and go fast here.
 */
function createTable() {
  const hashOf = createKeyHash();
  const chainOf = (key: string): number => hashOf(key) & (CHAINS - 1);
  const chains: (Lane | null)[] = Array.from({ length: CHAINS }, () => null);

  let busy = 0;

  const find = (key: string, chain: number): Lane | null => {
    for (let lane = chains[chain] ?? null; lane; lane = lane.after) if (lane.key === key) return lane;
    return null;
  };

  return {
    /** The lane of a key, if it is busy. */
    find: (key: string): Lane | null => (busy === 0 ? null : find(key, chainOf(key))),
    /** The lane of a key, a new one if need be. */
    laneOf(key: string): Lane {
      const chain = chainOf(key);
      const known = find(key, chain);
      if (known) return known;
      const lane: Lane = { key, chain, after: chains[chain] ?? null, tail: null };
      chains[chain] = lane;
      busy += 1;
      return lane;
    },
    remove(lane: Lane): void {
      let before: Lane | null = null;
      let found = chains[lane.chain] ?? null;
      while (found && found !== lane) {
        before = found;
        found = found.after;
      }
      if (before) before.after = lane.after;
      else chains[lane.chain] = lane.after;
      lane.after = null;
      busy -= 1;
    },
  };
}
