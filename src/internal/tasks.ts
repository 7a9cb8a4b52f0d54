export interface TaskCounter {
  enter(): void;
  leave(): void;
  /** Resolves when no task is under way. */
  idle(): Promise<void>;
  readonly count: number;
}

export function createTaskCounter(): TaskCounter {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter() {
      count += 1;
    },
    leave() {
      count -= 1;
      if (count > 0) return;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    get count() {
      return count;
    },
  };
}

/** Waits for a promise for a limited time. Resolves to whether it settled in time. */
export function settlesWithin(done: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    done.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

/** Runs tasks one at a time per key, in the order they were added; tasks of different keys run side by side. */
export interface KeyedQueue {
  /** Runs a task once all earlier ones of its key have settled. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
  /** How many tasks run or wait. */
  readonly pending: number;
}

/** A key takes memory only while it has a task. */
export function createKeyedQueue(): KeyedQueue {
  /** The last task of each busy key. */
  const tails = new Map<string, Promise<unknown>>();
  const pending = createTaskCounter();

  return {
    run(key, task) {
      const turn = (tails.get(key) ?? Promise.resolve()).then(task, task);
      tails.set(key, turn);
      pending.enter();
      const end = (): void => {
        if (tails.get(key) === turn) tails.delete(key);
        pending.leave();
      };
      turn.then(end, end);
      return turn;
    },
    idle: () => pending.idle(),
    get pending() {
      return pending.count;
    },
  };
}
