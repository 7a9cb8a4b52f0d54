import { setTimeout as delay } from 'node:timers/promises';
import { createTaskCounter, settlesWithin } from '../internal/index.js';
import type { AddResult, ClaimedJob, JobOutcome, NewJob, Queue, SettleResult } from './queue.js';
import { createSuspects, isSuspect } from './suspects.js';

/**
 * Runs the jobs of a queue: at most `concurrency` at once, one at a time per conversation.
 *
 * ```
 *   add ──► claimed? ──yes──► run ──► complete or fail ──► more in this conversation? ──► look
 *              │ no            ▲
 *              ▼               │
 *            look ── claim ────┘      look runs after add, after a job, on a notification, and every pollMs
 * ```
 */
export interface Worker {
  /** Stores a job, and runs it at once if a slot is free and its conversation has no other jobs. */
  add(job: NewJob, event?: ClaimedJob['event']): Promise<AddResult>;
  /** Looks for jobs soon. */
  wake(): void;
  /** Whether no job would start now. */
  isFull(): boolean;
  /**
   * Gives up claims that an error left behind. The worker does so itself when it next looks; this is for a statement
   * that the database carried out only later.
   */
  releaseUnused(): Promise<void>;
  /** The result of recording a job's outcome; `null` while it runs. */
  settlement(job: ClaimedJob): Promise<SettleResult | null>;
  /**
   * Starts no more jobs and waits for running ones. Resolves to the number that were still running after the timeout.
   * These are given up: they have a moment to end, then their claims are released, so that another process can run them
   * again.
   */
  stop(timeoutMs: number): Promise<number>;
}

/** The slot of a running job. A job that waits for another system can leave it to others meanwhile. */
export interface WorkerSlot {
  leave(): void;
  /** Takes it back, at once: for a moment, more jobs may run than there are slots. */
  takeBack(): void;
}

export interface WorkerOptions {
  readonly queue: Queue;
  readonly concurrency: number;
  /** How often to look for jobs without being woken. */
  readonly pollMs: number;
  /** Runs a job and returns its outcome. Never rejects. */
  readonly run: (job: ClaimedJob, slot: WorkerSlot) => Promise<JobOutcome>;
  /** Whether a claim, by its number, is certainly still held by this process. */
  readonly isClaimValid: (claim: number) => boolean;
  /** Returns the number of the next claim, higher than all earlier ones of this process. */
  readonly nextClaim: () => number;
  /** A lower limit than `concurrency` for the moment. */
  readonly limit?: () => number;
  /**
   * How long this process must have run before it runs a job alone that may have ended others; see suspects.ts.
   * Without it, no job runs alone.
   */
  readonly suspectWaitMs?: number;
  /** Gives up runs that `stop` no longer waits for, before their jobs are released to other processes. */
  readonly abortRuns?: () => void;
  /** Called once the outcome of a job is stored. */
  readonly onSettled?: () => void;
  /** Called when the database fails. The worker retries. */
  readonly onError: (error: unknown) => void;
}

type SettledOutcome = Exclude<JobOutcome, { readonly state: 'released' }>;

/** The delay before a failed write is retried. */
const RETRY_WRITE_MS = 250;

/** How long runs that were given up may take to end before others run their jobs. */
const GRACE_MS = 1_000;

/** How long `stop` waits for claims under way, and then for claims to be released. */
const RELEASE_TIMEOUT_MS = 1_000;

/** Idle until it is first woken. */
export function createWorker(options: WorkerOptions): Worker {
  const { queue, concurrency, pollMs, run, isClaimValid, nextClaim, limit, abortRuns, onSettled, onError } =
    options;
  /** `started` is the part of `claimed` whose handler was called. */
  const claimed = new Set<ClaimedJob>();
  const started = new Set<ClaimedJob>();
  const settlements = new WeakMap<ClaimedJob, Promise<SettleResult>>();
  const settling = createTaskCounter();
  /** Jobs that were started, until their outcome is recorded. */
  const running = createTaskCounter();
  /** Calls that make or give up a claim. `stop` waits for them: a claim made later would never be released. */
  const claimCalls = createTaskCounter();
  /** Numbers of claims under way. */
  const claiming = new Set<number>();
  /** Slots taken by running handlers, and by claims under way. */
  let busy = 0;
  /** Whether a call failed that may have made, or left, a claim that no job of this process has. */
  let mayHaveUnusedClaims = false;
  /** Whether jobs may be waiting that no slot of this process will run by itself. */
  let mayHaveMore = true;
  let looking = false;
  let stopped = false;
  /** Whether a suspect runs, or waits for running jobs to finish. */
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = 0;

  const freeSlots = (): number =>
    stopped || isPaused ? 0 : Math.min(concurrency, limit?.() ?? concurrency) - busy;

  const onClaimError = (error: unknown): void => {
    mayHaveUnusedClaims = true;
    onError(error);
  };

  const releaseUnused = (): Promise<void> =>
    queue.releaseUnused([...claiming, ...[...claimed].map(({ claim }) => claim)], nextClaim());

  /** Retries until the database is back: a finished job that is not recorded would run again. */
  const settle = async (job: ClaimedJob, outcome: SettledOutcome): Promise<SettleResult> => {
    for (;;) {
      try {
        return await (outcome.state === 'done' ? queue.complete(job) : queue.fail(job, outcome));
      } catch (error) {
        onError(error);
        if (stopped) return 'lost';
        await delay(RETRY_WRITE_MS);
      }
    }
  };

  const track = (job: ClaimedJob): void => {
    claimed.add(job);
    settling.enter();
  };

  const untrack = (job: ClaimedJob): void => {
    claimed.delete(job);
    started.delete(job);
    settling.leave();
    if (mayHaveMore) look();
  };

  const tryRelease = async (job: ClaimedJob, interrupted: boolean): Promise<boolean> => {
    try {
      await queue.release([job], { interrupted });
      return true;
    } catch (error) {
      onClaimError(error);
      return false;
    }
  };

  /**
   * Releases a claimed job that was not run: another process, or this one later, claims it again. An interruption is
   * retried until it is recorded: the next run must know of it.
   */
  const releaseJob = async (job: ClaimedJob, interrupted = false): Promise<void> => {
    claimCalls.enter();
    while (!(await tryRelease(job, interrupted)) && interrupted && !stopped) await delay(RETRY_WRITE_MS);
    claimCalls.leave();
    mayHaveMore = true;
    untrack(job);
  };

  const createSlot = (): WorkerSlot & { end(): void } => {
    let state: 'held' | 'left' | 'ended' = 'held';
    return {
      leave() {
        if (state !== 'held') return;
        state = 'left';
        busy -= 1;
        if (mayHaveMore) look();
      },
      takeBack() {
        if (state !== 'left') return;
        state = 'held';
        busy += 1;
      },
      // A handler that was given up may still run, and leave the slot.
      end() {
        if (state === 'held') busy -= 1;
        state = 'ended';
      },
    };
  };

  const runJob = async (job: ClaimedJob): Promise<void> => {
    busy += 1;
    running.enter();
    started.add(job);
    const slot = createSlot();
    const outcome = await run(job, slot);
    slot.end();
    if (outcome.state === 'released') {
      running.leave();
      return releaseJob(job, outcome.interrupted);
    }
    const settled = settle(job, outcome);
    settlements.set(job, settled);
    // In the same turn of the event loop as the write above, so that both share one commit.
    if (mayHaveMore) look();
    const result = await settled;
    if (result === 'more') mayHaveMore = true;
    if (outcome.state === 'failed' && outcome.retryInMs !== null) lookAfter(outcome.retryInMs);
    onSettled?.();
    running.leave();
    untrack(job);
  };

  /** Runs a claimed job alone, which is noted before: only the note survives the end of the process. */
  const runAlone = async (job: ClaimedJob): Promise<void> => {
    if (stopped || !isClaimValid(job.claim)) return releaseJob(job);
    try {
      if (!(await queue.beginAlone(job))) return untrack(job);
    } catch (error) {
      onError(error);
      return releaseJob(job, true);
    }
    return stopped || !isClaimValid(job.claim) ? releaseJob(job, true) : runJob(job);
  };

  const suspects =
    options.suspectWaitMs === undefined
      ? null
      : createSuspects({
          waitMs: options.suspectWaitMs,
          pause() {
            isPaused = true;
            return running.idle();
          },
          run: runAlone,
          resume() {
            isPaused = false;
            wake();
          },
        });

  /** Runs a claimed job, unless the worker has stopped, has no slot left, or was paused for longer than its lease. */
  const start = (job: ClaimedJob): void => {
    if (freeSlots() <= 0 || !isClaimValid(job.claim)) void releaseJob(job);
    else if (suspects && isSuspect(job)) suspects.add(job);
    else void runJob(job);
  };

  const lookAfter = (ms: number): void => {
    const at = performance.now() + Math.min(pollMs, Math.max(1, ms));
    if (stopped || (timer && timerAt <= at)) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => {
      timer = undefined;
      wake();
    }, at - performance.now());
  };

  const claimSome = async (slots: number): Promise<number> => {
    const claim = nextClaim();
    claiming.add(claim);
    claimCalls.enter();
    let jobs: readonly ClaimedJob[] = [];
    try {
      if (mayHaveUnusedClaims) {
        mayHaveUnusedClaims = false;
        await releaseUnused();
      }
      const result = await queue.claim(claim, slots);
      jobs = result.jobs;
      if (jobs.length === slots) mayHaveMore = true;
      return result.nextDueInMs ?? pollMs;
    } finally {
      busy -= slots;
      for (const job of jobs) {
        track(job);
        start(job);
      }
      claiming.delete(claim);
      claimCalls.leave();
    }
  };

  const look = (): void => {
    // A claim made without a lease would have to be released. It has a higher number than all before.
    if (!isClaimValid(Number.POSITIVE_INFINITY)) {
      lookAfter(pollMs);
      return;
    }
    // Reserves half of the free slots for this claim; jobs that are added meanwhile can take the others.
    const slots = Math.ceil(freeSlots() / 2);
    if (looking || slots <= 0) return;
    looking = true;
    mayHaveMore = false;
    busy += slots;
    clearTimeout(timer);
    timer = undefined;
    claimSome(slots)
      .catch((error: unknown) => {
        onClaimError(error);
        return pollMs;
      })
      .then((restMs) => {
        looking = false;
        if (mayHaveMore && freeSlots() > 0) look();
        else lookAfter(restMs);
      }, onError);
  };

  const wake = (): void => {
    mayHaveMore = true;
    look();
  };

  return {
    wake,
    isFull: () => freeSlots() <= 0,
    settlement: async (job) => settlements.get(job) ?? null,
    async add(job, event) {
      if (freeSlots() <= 0) {
        const result = await queue.add(job, null);
        if (!result.isDuplicate && !result.isRefused) wake();
        return result;
      }
      const claim = nextClaim();
      claiming.add(claim);
      claimCalls.enter();
      // Reserved, so that a burst does not claim more than it can run.
      busy += 1;
      let isSlotNeeded = false;
      try {
        const result = await queue.add(job, claim);
        if (result.isClaimed) {
          isSlotNeeded = true;
          const claimedJob = { ...toClaimedJob(job, result.id, claim), ...(event && { event }) };
          track(claimedJob);
          // After the sender is answered: a handler may block the event loop.
          setImmediate(() => {
            busy -= 1;
            start(claimedJob);
          });
        } else if (!result.isDuplicate && !result.isRefused) mayHaveMore = true;
        return result;
      } catch (error) {
        mayHaveUnusedClaims = true;
        throw error;
      } finally {
        claiming.delete(claim);
        claimCalls.leave();
        if (!isSlotNeeded) {
          busy -= 1;
          if (mayHaveMore) look();
        }
      }
    },
    releaseUnused,
    async stop(timeoutMs) {
      stopped = true;
      clearTimeout(timer);
      for (const job of suspects?.stop() ?? []) void releaseJob(job);
      await settlesWithin(
        claimCalls.idle().then(() => settling.idle()),
        timeoutMs,
      );
      await settlesWithin(claimCalls.idle(), RELEASE_TIMEOUT_MS);
      const givenUp = started.size;
      abortRuns?.();
      await settlesWithin(settling.idle(), GRACE_MS);
      const unfinished = [...started];
      const unstarted = [...claimed].filter((job) => !started.has(job));
      const released = Promise.all([
        queue.release(unfinished, { interrupted: true }).catch(onError),
        queue.release(unstarted, { interrupted: false }).catch(onError),
      ]);
      await settlesWithin(released, RELEASE_TIMEOUT_MS);
      return givenUp;
    },
  };
}

const toClaimedJob = ({ conversation, type, content }: NewJob, id: string, claim: number): ClaimedJob => ({
  id,
  conversation,
  type,
  content,
  attempt: 1,
  failures: 0,
  crashes: 0,
  interrupted: false,
  createdAt: Date.now(),
  claim,
});
