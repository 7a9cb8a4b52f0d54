/**
 * A queue of jobs in a database: one job at a time per conversation, in the order they were added.
 *
 * ```
 *              add                 claim                complete
 *   (new) ───────────► waiting ─────────────► claimed ────────────► (gone; its key stays, to tell repeats)
 *                        ▲  ▲                  │ │ │
 *                        │  └──── release ─────┘ │ │   not started, or its process stopped
 *                        │  └──── reclaim ─────┘ │ │   its process died: counts as an interruption
 *                        │  └──── fail ──────────┘ │   with a delay: retried later
 *                        └─ retry by an operator ─ dead ◄── fail, for good
 * ```
 *
 * A claim belongs to a conversation, not to a job: its `head` row names the process that runs the first waiting job
 * of the conversation. Every claim has a number that its process never uses again, and every write about a claimed
 * job names it, so a process that lost its claim (it was paused for longer than its lease) changes nothing.
 */
import type { DeliveredEvent } from '../events/index.js';

/** The two queues: events that were received, and replies to be sent. */
export type QueueName = 'inbox' | 'outbox';

/** A job to be added. */
export interface NewJob {
  /** The idempotency key: a second job with the same key is not added for as long as the first is remembered. */
  readonly key: string;
  readonly conversationId: string;
  /** The event's name, or `reply` or `close`. */
  readonly type: string;
  /** JSON. */
  readonly content: string;
  /** Ids of the user whose data this is, so that it can be found and forgotten. */
  readonly userIds?: readonly string[];
}

/** A job that this process is to run. */
export interface ClaimedJob {
  readonly id: string;
  /** The conversation's id as `conversationKey` writes it; the id itself is in the content. */
  readonly conversation: string;
  readonly type: string;
  readonly content: string;
  /** The event itself, where this process has received it: saves parsing the content. */
  readonly event?: DeliveredEvent;
  /** The number of this attempt, from 1. Interruptions count. */
  readonly attempt: number;
  /** Whether an earlier attempt ended with its process, so that nobody knows how far it got. */
  readonly interrupted: boolean;
  readonly createdAt: number;
  /** The number of the claim. */
  readonly claim: number;
}

/** The result of {@link Queue.add}. */
export interface AddResult {
  /** The job's id; for a repeat that of the first, where it is known. */
  readonly id: string;
  readonly isDuplicate: boolean;
  /** Whether this process has claimed it and is to run it now. */
  readonly isClaimed: boolean;
}

/** The result of {@link Queue.claim}. */
export interface ClaimResult {
  readonly jobs: readonly ClaimedJob[];
  /** In how many milliseconds the next job is due; `null` when none waits for a time. */
  readonly nextDueInMs: number | null;
}

/** A failed attempt. */
export interface JobFailure {
  readonly error: string;
  /** When to try again; `null` makes the job a dead letter. */
  readonly retryInMs: number | null;
  /** Whether the attempt counts. A postponed job did nothing wrong. */
  readonly counts: boolean;
}

/** Whether more jobs of the conversation are due; `lost` when the claim was no longer this process's. */
export type SettleResult = 'idle' | 'more' | 'lost';

/** How a run of a job ended. */
export type JobOutcome =
  | { readonly state: 'done'; readonly answer?: unknown }
  | ({ readonly state: 'failed' } & JobFailure);

/** What became of a job. `gone`: an operator discarded it, or its user was forgotten. */
export type JobStatus =
  | { readonly state: 'waiting' | 'done' | 'gone' }
  | { readonly state: 'dead'; readonly error: string };

/** What a database stores of one queue. Each call is one atomic step, and rejects when nothing of it happened. */
export interface Queue {
  /** Adds a job, and claims it under the given number where nothing else of its conversation waits or runs. */
  add(job: NewJob, claim: number | null): Promise<AddResult>;
  /** Claims the first job of up to `limit` conversations that are due. */
  claim(claim: number, limit: number): Promise<ClaimResult>;
  /** Removes a job that is done. */
  complete(job: ClaimedJob): Promise<SettleResult>;
  /** Notes a failed attempt. */
  fail(job: ClaimedJob, failure: JobFailure): Promise<SettleResult>;
  /** Gives up a claim on jobs that were not started, or, where they were `interrupted`, that were. */
  release(jobs: readonly ClaimedJob[], options: { readonly interrupted: boolean }): Promise<void>;
  /**
   * Gives up claims of this process with a number below `before`, other than those in use. An error may leave open
   * whether a claim was made; without this, its conversation would wait for as long as the process lives. Claims from
   * `before` on were made while this call was under way, and may be in use.
   */
  releaseUnused(inUse: readonly number[], before: number): Promise<void>;
  /** Whether a key is remembered. */
  has(key: string): Promise<boolean>;
  /** What became of jobs, in the order of their ids. */
  statusOf(ids: readonly string[]): Promise<readonly JobStatus[]>;
}

/** The lease of this process on everything it has claimed, in both queues. */
export interface ProcessLease {
  /**
   * Extends the lease and, where `reclaim` is set, makes the conversations of dead processes available again.
   * Resolves to how many.
   */
  renew(options: { readonly reclaim: boolean }): Promise<number>;
  /** Ends the lease, and with it every claim. */
  end(): Promise<void>;
}
