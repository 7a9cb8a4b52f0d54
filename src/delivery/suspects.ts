import { type ClaimedJob, MAX_CRASHES, SUSPECT_CRASHES } from './queue.js';

/**
 * Runs jobs alone whose process died twice: one of them may be the cause, and what runs beside it would be interrupted
 * again.
 *
 * ```
 *   claimed ──► waits until its process has run for a while ──► running jobs finish ──► suspects run, one by one
 *               (others run meanwhile)                          (no other starts)       (no other starts)
 * ```
 *
 * The wait tells an event that ends its process from a process that keeps ending for another reason: in the latter no
 * suspect runs. It doubles with each crash of the job alone. The cost: while suspects run, this process handles nothing
 * else, for as long as the slowest running handler and the handlers of all suspects take.
 */
interface Suspects {
  add(job: ClaimedJob): void;
  /** Starts no more of them. Returns those that were not started. */
  stop(): readonly ClaimedJob[];
}

interface SuspectsOptions {
  /** How long this process must have run before a suspect runs for the first time. */
  readonly waitMs: number;
  /** Starts no other jobs, and resolves when none is running. */
  readonly pause: () => Promise<void>;
  /** Runs a job. Never rejects. */
  readonly run: (job: ClaimedJob) => Promise<void>;
  readonly resume: () => void;
}

/** Whether a job has to run alone. One that crashed too often does not run at all. */
export const isSuspect = ({ crashes }: ClaimedJob): boolean =>
  crashes >= SUSPECT_CRASHES && crashes < MAX_CRASHES;

export function createSuspects({ waitMs, pause, run, resume }: SuspectsOptions): Suspects {
  const startedAt = performance.now();
  let waiting: ClaimedJob[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;

  const runsAt = ({ crashes }: ClaimedJob): number => startedAt + waitMs * 2 ** (crashes - SUSPECT_CRASHES);

  /** Takes a job whose time has come. */
  const take = (): ClaimedJob | undefined => {
    const job = waiting.find((each) => runsAt(each) <= performance.now());
    waiting = waiting.filter((each) => each !== job);
    return job;
  };

  const runAll = async (): Promise<void> => {
    isRunning = true;
    await pause();
    for (let job = take(); job; job = take()) await run(job);
    isRunning = false;
    resume();
    schedule();
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (isRunning || waiting.length === 0) return;
    const nextAt = Math.min(...waiting.map(runsAt));
    timer = setTimeout(() => void runAll(), Math.max(0, nextAt - performance.now()));
  };

  return {
    add(job) {
      waiting.push(job);
      schedule();
    },
    stop() {
      clearTimeout(timer);
      const unstarted = waiting;
      waiting = [];
      return unstarted;
    },
  };
}
