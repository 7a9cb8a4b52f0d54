import type { Clock } from './clock.js';

interface Job {
  run: () => Promise<void>;
  holdBack: () => number | undefined;
}

interface Lane {
  readonly waiting: Job[];
  arrived: (() => void) | null;
}

/** Runs jobs of the same key one after another, and jobs of different keys side by side. */
export interface ConversationQueues {
  /**
   * Queues a job. When its turn comes and `holdBack` returns a number, the job lets the next of its lane go
   * first, and waits up to that many milliseconds for one to come.
   */
  run: <Result>(
    key: string,
    job: () => Promise<Result>,
    holdBack?: () => number | undefined,
  ) => Promise<Result>;
  /** Resolves when nothing is queued or running. */
  idle: () => Promise<void>;
}

/** Makes the lanes. Once `signal` aborts, nothing is held back any more. */
export function createConversationQueues(clock: Clock, signal: AbortSignal): ConversationQueues {
  const lanes = new Map<string, Lane>();
  const idlers = new Set<() => void>();

  const nextArrives = (lane: Lane, withinMs: number): Promise<void> => {
    if (lane.waiting.length > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        clock.clearTimeout(timer);
        signal.removeEventListener('abort', go);
        lane.arrived = null;
        resolve();
      };
      const timer = clock.setTimeout(go, withinMs);
      signal.addEventListener('abort', go);
      lane.arrived = go;
    });
  };

  const drain = async (key: string, lane: Lane): Promise<void> => {
    for (let job = lane.waiting.shift(); job; job = lane.waiting.shift()) {
      const holdMs = job.holdBack();
      if (holdMs !== undefined) {
        await nextArrives(lane, holdMs);
        await lane.waiting.shift()?.run();
      }
      await job.run();
    }
    lanes.delete(key);
    if (lanes.size > 0) return;
    for (const wake of idlers) wake();
    idlers.clear();
  };

  const laneOf = (key: string): Lane => {
    const existing = lanes.get(key);
    if (existing) return existing;
    const lane: Lane = { waiting: [], arrived: null };
    lanes.set(key, lane);
    // One turn later, so that jobs queued together see each other.
    queueMicrotask(() => void drain(key, lane));
    return lane;
  };

  return {
    run(key, job, holdBack = () => undefined) {
      return new Promise((resolve, reject) => {
        const lane = laneOf(key);
        lane.waiting.push({ run: () => job().then(resolve, reject), holdBack });
        lane.arrived?.();
      });
    },
    idle: () => (lanes.size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.add(resolve))),
  };
}
