import { ClaimLost, type HandlerRun } from '../events/index.js';
import type { Log } from '../internal/index.js';
import type { AddResult, ClaimedJob, NewJob, Queue } from './queue.js';
import { AbortableRun } from './run-handlers.js';
import type { Worker } from './worker.js';

/**
 * Keeps a process that was paused for longer than its lease from acting on events that another process has reclaimed.
 *
 * ```
 *   before a handler: is the claim certain by the lease's time? ──yes──► call it
 *                                    │ no
 *                                    ▼
 *                     renew, then ask the database ──held──► call it
 *                                    │ lost
 *                                    ▼
 *                                ClaimLost ◄── refused ── a reply, which names the claim in the transaction that adds it
 * ```
 */
export interface Fencing {
  /** See {@link HandlerRun.ensureClaimed}. */
  readonly ensureClaimed: (job: ClaimedJob) => Promise<void>;
  /** Adds a reply to an outbox. That of a handler names the claim under which the handler runs. */
  readonly addReply: (
    reply: NewJob,
    run: HandlerRun | undefined,
    add: (reply: NewJob) => Promise<AddResult>,
  ) => Promise<AddResult>;
}

export interface FencingOptions {
  readonly renewLease: () => Promise<void>;
  readonly leaseMs: number;
  readonly inbox: () => Pick<Queue, 'holds'>;
  readonly inboxName: () => string;
  readonly inboxWorker: () => Pick<Worker, 'settlement'> | undefined;
  readonly isClaimValid: (claim: number) => boolean;
  readonly log: () => Log | undefined;
}

export function createFencing(options: FencingOptions): Fencing {
  const { renewLease, leaseMs, inbox, inboxName, inboxWorker, isClaimValid, log } = options;

  const claimLost = ({ conversation, type }: ClaimedJob): ClaimLost => {
    const error = new ClaimLost();
    log()?.warn({ conversationId: conversation, event: type, code: error.code }, error.message);
    return error;
  };

  /** The renewal comes first: from then on, no process reclaims what is still held. */
  const askDatabase = async (job: ClaimedJob): Promise<void> => {
    for (;;) {
      const startedAt = performance.now();
      await renewLease();
      if (!(await inbox().holds(job))) throw claimLost(job);
      if (performance.now() - startedAt < leaseMs) return;
    }
  };

  /** Whether the outcome of a finished run was recorded, and not lost to another process; `null` while it runs. */
  const isRecorded = async (job: ClaimedJob): Promise<boolean | null> => {
    const result = (await inboxWorker()?.settlement(job)) ?? null;
    return result && result !== 'lost';
  };

  return {
    async ensureClaimed(job) {
      if (isClaimValid(job.claim)) return;
      const recorded = await isRecorded(job);
      if (recorded === null) await askDatabase(job);
      else if (!recorded) throw claimLost(job);
    },
    async addReply(reply, run, add) {
      if (!(run instanceof AbortableRun && run.claim)) return add(reply);
      const { job } = run.claim;
      const { conversation, claim } = job;
      const result = await add({ ...reply, onBehalfOf: { queue: inboxName(), conversation, claim } });
      if (!result.isRefused) return result;
      // A handler that has finished may go on replying, as code outside handlers does.
      if (await isRecorded(job)) return add(reply);
      const error = claimLost(job);
      run.abort(error);
      throw error;
    },
  };
}
