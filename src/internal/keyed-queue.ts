import { createTaskCounter } from './task-counter.js';

/** Runs tasks one at a time per key, in the order they were added; tasks of different keys run side by side. */
export interface KeyedQueue {
  /** Runs a task once all earlier ones of its key have settled. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** A synchronous task of an idle key is done on return, and its result is no promise. */
  run<Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
  /** How many tasks run or wait. */
  readonly pending: number;
}

/** Creates a {@link KeyedQueue}. A key takes memory only while it has a task. */
export function createKeyedQueue(): KeyedQueue {
  /** The last task of each busy key. */
  const tails = new Map<string, Promise<unknown>>();
  const pending = createTaskCounter();

  const run = <Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result> => {
    pending.enter();
    const tail = tails.get(key);
    const turn = tail ? tail.then(task, task) : attempt(task);
    if (!(turn instanceof Promise)) {
      pending.leave();
      return turn;
    }
    tails.set(key, turn);
    const end = (): void => {
      if (tails.get(key) === turn) tails.delete(key);
      pending.leave();
    };
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

/** Turns what a task throws synchronously into a rejection. */
function attempt<Result>(task: () => Result | Promise<Result>): Result | Promise<Result> {
  try {
    return task();
  } catch (error) {
    return Promise.reject(error);
  }
}
