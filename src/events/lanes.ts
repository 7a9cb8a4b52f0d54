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

interface Lane {
  /** Settles when the last task of the lane has ended. */
  tail: Promise<unknown> | null;
}

/** Makes {@link Lanes}. A key costs memory only while it has a task. */
export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>();
  const pending = createPending();

  const leave = (key: string, lane: Lane, turn: Promise<unknown>): void => {
    if (lane.tail === turn) {
      // A map's old tables outlive its entries for a while; what hangs on the promise must not live as long.
      lane.tail = null;
      lanes.delete(key);
    }
    pending.leave();
  };

  return {
    run(key, task) {
      pending.enter();
      const busy = lanes.get(key);
      const lane = busy ?? { tail: null };
      const turn = busy?.tail ? busy.tail.then(task, task) : task();
      lane.tail = turn;
      if (!busy) lanes.set(key, lane);
      const end = (): void => leave(key, lane, turn);
      turn.then(end, end);
      return turn;
    },
    idle: () => pending.idle(),
    get pending() {
      return pending.count;
    },
  };
}
