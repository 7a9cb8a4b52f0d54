import type { Clock } from './clock.js';

interface Job {
  run: () => Promise<void>;
  holdBack: () => number | undefined;
}

interface Queue {
  readonly waiting: Job[];
  /** Wakes a held-back job when another job is queued. */
  onArrival: (() => void) | null;
}

/** Runs jobs with the same key in order, one at a time, and jobs with different keys concurrently. */
interface ConversationQueues {
  /**
   * Queues a job. If `holdBack` returns a number when the job is due, the job waits up to that many milliseconds for the
   * key's next job and lets it run first. This implements the `reorder` fault.
   */
  run: <Result>(
    key: string,
    job: () => Promise<Result>,
    holdBack?: () => number | undefined,
  ) => Promise<Result>;
  /** Resolves when no job is queued or running. */
  idle: () => Promise<void>;
}

/** Once `signal` aborts, no job is held back. */
export function createConversationQueues(clock: Clock, signal: AbortSignal): ConversationQueues {
  const queues = new Map<string, Queue>();
  const idlers = new Set<() => void>();

  const nextArrival = (queue: Queue, withinMs: number): Promise<void> => {
    if (queue.waiting.length > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        clock.clearTimeout(timer);
        signal.removeEventListener('abort', resume);
        queue.onArrival = null;
        resolve();
      };
      const timer = clock.setTimeout(resume, withinMs);
      signal.addEventListener('abort', resume);
      queue.onArrival = resume;
    });
  };

  const drain = async (key: string, queue: Queue): Promise<void> => {
    for (let job = queue.waiting.shift(); job; job = queue.waiting.shift()) {
      const holdMs = job.holdBack();
      if (holdMs !== undefined) {
        await nextArrival(queue, holdMs);
        await queue.waiting.shift()?.run();
      }
      await job.run();
    }
    queues.delete(key);
    if (queues.size > 0) return;
    for (const wake of idlers) wake();
    idlers.clear();
  };

  const queueOf = (key: string): Queue => {
    const existing = queues.get(key);
    if (existing) return existing;
    const queue: Queue = { waiting: [], onArrival: null };
    queues.set(key, queue);
    // Started in a microtask, so that jobs queued in the same turn can overtake each other.
    queueMicrotask(() => void drain(key, queue));
    return queue;
  };

  return {
    run(key, job, holdBack = () => undefined) {
      return new Promise((resolve, reject) => {
        const queue = queueOf(key);
        queue.waiting.push({ run: () => job().then(resolve, reject), holdBack });
        queue.onArrival?.();
      });
    },
    idle: () => (queues.size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.add(resolve))),
  };
}
