/**
 * A queue of jobs in a database: one job at a time per conversation, in the order they were added.
 *
 * ```
 *              add                 claim                complete
 *   (new) ───────────► waiting ─────────────► claimed ────────────► (gone; its key stays, to recognise repeats)
 *                        ▲                     │ │ │
 *                        ├────── release ──────┘ │ │    not started, or its process stopped
 *                        ├────── reclaim ────────┘ │    its process died: an interruption, which is not a failure
 *                        ├────── fail, with a delay ┤
 *                        └── retry by an operator ── dead
 * ```
 *
 * A claim belongs to a conversation, not to a job: its `head` row names the process that runs the first waiting job
 * of the conversation. Every claim has a number that its process never uses again, and every write about a claimed
 * job names it, so a process that lost its claim (it was paused for longer than its lease) changes nothing. The replies
 * of a handler name the claim on its event, and are refused once that is lost.
 *
 * A job whose process died may have caused it:
 *
 * ```
 *   crashes   0 ──► 1 ──► 2 ──────────► 3 ──► 4 ──► 5 ──► dead letter
 *             runs with others │ runs alone               after three of these
 * ```
 *
 * Up to two, every job counts that was claimed by the process that died. A job with two is a suspect and runs alone,
 * which is counted before it starts: a run that ends, in any way, sets the count to zero.
 */
import type { DeliveredEvent } from '../events/index.js';

/** The two kinds of queues: events that were received, and replies to be sent. */
export type QueueKind = 'inbox' | 'outbox';

/** A job to be added. */
export interface NewJob {
  /** The idempotency key: a second job with the same key is not added for as long as the first is remembered. */
  readonly key: string;
  /** The conversation's id as `conversationKey` writes it. */
  readonly conversation: string;
  /** The event's name, or `reply` or `close`. */
  readonly type: string;
  /** JSON. */
  readonly content: string;
  /** Ids of the user whose data this is, so that it can be found and forgotten. */
  readonly userIds?: readonly string[];
  /**
   * The fencing token of a reply that a handler makes: the claim on the event in the inbox. The job is added only if
   * this process still holds it.
   */
  readonly onBehalfOf?: EventClaim;
}

/** The claim on an event in an inbox. */
interface EventClaim extends Pick<ClaimedJob, 'conversation' | 'claim'> {
  /** The inbox. */
  readonly queue: string;
}

/** A job that this process is to run. */
export interface ClaimedJob {
  readonly id: string;
  /** The conversation's id as `conversationKey` writes it; the id itself is in the content. */
  readonly conversation: string;
  readonly type: string;
  readonly content: string;
  /** The event, if this process received it: saves parsing the content. */
  readonly event?: DeliveredEvent;
  /** The number of this attempt, from 1. Interruptions count. */
  readonly attempt: number;
  /** Earlier attempts that failed. */
  readonly failures: number;
  /** How often its process died, as far as this job may be the cause. */
  readonly crashes: number;
  /** Whether the process of an earlier attempt ended during it: that attempt may have had effects. */
  readonly interrupted: boolean;
  readonly createdAt: number;
  /** The number of the claim. */
  readonly claim: number;
}

/** From this number of crashes on, a job runs alone. */
export const SUSPECT_CRASHES = 2;

/** With this number of crashes, the last three of them alone, a job becomes a dead letter. */
export const MAX_CRASHES = 5;

/** The result of {@link Queue.add}. */
export interface AddResult {
  /** The job's id; for a repeat, the id of the first job if it is still stored. */
  readonly id: string;
  readonly isDuplicate: boolean;
  /** Whether this process has claimed it and is to run it now. */
  readonly isClaimed: boolean;
  /** Whether nothing was added, because another process has reclaimed the event it was added on behalf of. */
  readonly isRefused?: boolean;
}

/** The result of {@link Queue.claim}. */
export interface ClaimResult {
  readonly jobs: readonly ClaimedJob[];
  /** Milliseconds until the next delayed job is due; `null` if there is none. */
  readonly nextDueInMs: number | null;
}

/** A failed attempt. */
export interface JobFailure {
  readonly error: string;
  /** When to try again; `null` makes the job a dead letter. */
  readonly retryInMs: number | null;
  /** Whether it counts towards the maximum number of attempts; a postponement does not. */
  readonly counts: boolean;
}

/** Whether more jobs of the conversation are due; `lost` if another process had reclaimed the job. */
export type SettleResult = 'idle' | 'more' | 'lost';

/** The outcome of one run of a job. */
export type JobOutcome =
  | { readonly state: 'done' }
  | ({ readonly state: 'failed' } & JobFailure)
  /** Not run, since its claim may be lost. `interrupted`: whether it may have had effects all the same. */
  | { readonly state: 'released'; readonly interrupted: boolean };

/** The state of a job. `gone`: an operator discarded it, or its user was forgotten. */
export type JobStatus =
  | { readonly state: 'waiting' | 'done' | 'gone' }
  | { readonly state: 'dead'; readonly error: string };

/**
 * One queue in a database. Each call is atomic. When it rejects, it is unknown whether it took effect: the answer may
 * have been lost after the commit. Repeating it is harmless, and claims that the process does not know of are given up by
 * `releaseUnused`.
 */
export interface Queue {
  /** Adds a job; with a claim number, also claims it unless its conversation has other jobs. */
  add(job: NewJob, claim: number | null): Promise<AddResult>;
  /** Claims the first job of up to `limit` conversations that are due. */
  claim(claim: number, limit: number): Promise<ClaimResult>;
  /** Whether this process still has the claim on a job. */
  holds(job: ClaimedJob): Promise<boolean>;
  /** Removes a job that is done. */
  complete(job: ClaimedJob): Promise<SettleResult>;
  /** Records a failed attempt. */
  fail(job: ClaimedJob, failure: JobFailure): Promise<SettleResult>;
  /**
   * Counts a run of a suspect that is about to start alone: if the process dies, the count stays. Resolves to whether
   * the claim is still valid.
   */
  beginAlone(job: ClaimedJob): Promise<boolean>;
  /** Gives up claims. `interrupted`: whether the jobs had been started. Then they did not end the process. */
  release(jobs: readonly ClaimedJob[], options: { readonly interrupted: boolean }): Promise<void>;
  /**
   * Gives up claims of this process with a number below `before`, except those in use. After an error it is unknown
   * whether a claim was made; such a conversation would otherwise wait until the process ends.
   */
  releaseUnused(inUse: readonly number[], before: number): Promise<void>;
  /** Whether a key is remembered. */
  has(key: string): Promise<boolean>;
  /** The states of jobs, in the order of `ids`. */
  statusOf(ids: readonly string[]): Promise<readonly JobStatus[]>;
}

/** The row of a process. */
export interface ProcessRecord {
  readonly owner: string;
  /** Changes with every renewal; 0 for an owner of claims that has no row. */
  readonly renewals: number;
  readonly leaseMs: number;
  /** Where the process can be looked for, see process-identity.ts. */
  readonly identity: string | null;
}

/** The result of {@link ProcessLease.renew}. */
export interface RenewalResult {
  /** Whether this process had no row: it is new, or another process has reclaimed its claims. */
  readonly isNew: boolean;
  /** The other processes. */
  readonly others: readonly ProcessRecord[];
  /** The time by the clock that due times are compared with. */
  readonly now: number;
}

/** The lease of this process on everything it has claimed, in all queues. */
export interface ProcessLease {
  renew(record: Omit<ProcessRecord, 'owner'>): Promise<RenewalResult>;
  /**
   * Makes the conversations of a dead process available again, and removes its row, unless it has renewed its lease
   * since the record was read. Resolves to the number of conversations.
   */
  reclaim(dead: ProcessRecord): Promise<number>;
  /** Makes no job wait for longer than its delay, after the clock was set back. */
  boundDueTimes(): Promise<void>;
  /** Ends the lease, and with it every claim. */
  end(): Promise<void>;
}
