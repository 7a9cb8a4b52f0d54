import { createPending } from './pending.js';

/** Runs tasks one at a time per key, in the order they came, and tasks of different keys side by side. */
export interface Lanes {
  /** Runs a task when all earlier ones of the key have ended, however they ended. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
  /** How many tasks run or wait. */
  readonly pending: number;
}

/** Makes {@link Lanes}. A key costs memory only while it has a task. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<void>>();
  const pending = createPending();

  return {
    run(key, task) {
      pending.enter();
      const before = tails.get(key);
      const turn = before ? before.then(task) : task();
      const leave = (): void => {
        if (tails.get(key) === tail) tails.delete(key);
        pending.leave();
      };
      const tail = turn.then(leave, leave);
      tails.set(key, tail);
      return turn;
    },
    idle: () => pending.idle(),
    get pending() {
      return pending.count;
    },
  };
}
