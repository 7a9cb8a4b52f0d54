import { boundDelay } from '../backoff.js';
import {
  type AddResult,
  type ClaimedJob,
  type ClaimResult,
  type JobFailure,
  type NewJob,
  type ProcessRecord,
  type RenewalResult,
  type SettleResult,
  SUSPECT_CRASHES,
} from '../queue.js';
import { digestKey, digestText, encodeText, toJob, toProcessRecord } from '../storage/encoding.js';
import { USER_NOTED_MS } from '../storage/retention.js';
import type { SqlRow, SqlStatement } from '../storage/sql.js';
import type { Connection, Statement, TransactionResult } from './database.js';

/**
 * All writes to the database. Arguments and results are plain data, since the caller is in another thread. The writer
 * runs commands within a transaction and commits them in groups.
 */
export interface Commands {
  add(
    queue: string,
    key: string,
    conversation: string,
    type: string,
    content: string,
    userIds: readonly string[],
    onBehalfOf: NewJob['onBehalfOf'] | null,
    claim: number | null,
    now: number,
  ): AddResult;
  claim(queue: string, claim: number, limit: number, now: number): ClaimResult;
  complete(queue: string, id: string, conversation: string, claim: number, now: number): SettleResult;
  fail(
    queue: string,
    id: string,
    conversation: string,
    claim: number,
    failure: JobFailure,
    now: number,
  ): SettleResult;
  release(
    queue: string,
    jobs: readonly Pick<ClaimedJob, 'id' | 'conversation' | 'claim'>[],
    interrupted: boolean,
  ): void;
  releaseUnused(queue: string, inUse: readonly number[], before: number): void;
  beginAlone(queue: string, id: string, conversation: string, claim: number): boolean;
  renewLease(record: Omit<ProcessRecord, 'owner'>): Omit<RenewalResult, 'now'>;
  reclaim(dead: ProcessRecord): number;
  boundDueTimes(now: number): void;
  endLease(): void;
  /** Runs statements of other stores. If they fail, the rest of the group is still committed. */
  transaction(statements: readonly SqlStatement[]): TransactionResult;
}

export interface CommandOptions {
  /** Whether finished jobs keep their content. */
  readonly keepContent: boolean;
  /** Identifies this process among those that share the file. */
  readonly owner: string;
}

/** Prepares the statements of all commands, so the tables must exist. */
export function createCommands(
  connection: Connection,
  { keepContent, owner }: CommandOptions,
): Omit<Commands, 'transaction'> {
  const sql = (text: string): Statement => connection.prepare(text);
  const insertKey = sql(
    'INSERT INTO seen_key (digest, seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING seq',
  );
  const findKey = sql('SELECT seq FROM seen_key WHERE digest = ?');
  const insertJob = sql(
    'INSERT INTO job (seq, queue, conversation, type, created_at, content) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertHead = sql(
    'INSERT INTO head (queue, conversation, jobs, due_at, owner, claim, job) VALUES (?, ?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING jobs',
  );
  const countJob = sql('UPDATE head SET jobs = jobs + 1 WHERE queue = ? AND conversation = ?');
  const noteUser = sql(
    `INSERT INTO user_conversation (user_id, conversation, seen_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at WHERE seen_at < excluded.seen_at - ${USER_NOTED_MS}`,
  );
  const dueHeads = sql(
    `SELECT conversation FROM head WHERE queue = ? AND owner IS NULL AND jobs > 0 AND due_at <= ?
     ORDER BY due_at LIMIT ?`,
  );
  const nextDue = sql(
    'SELECT min(due_at) AS due_at FROM head WHERE queue = ? AND owner IS NULL AND jobs > 0',
  );
  const takeHead = sql('UPDATE head SET owner = ?, claim = ?, job = ? WHERE queue = ? AND conversation = ?');
  const firstJob = sql(
    `SELECT seq, type, attempts, interruptions, crashes, created_at, content FROM job
     WHERE queue = ? AND conversation = ? AND state = 'waiting' ORDER BY seq LIMIT 1`,
  );
  const unclaimed = 'owner = NULL, claim = NULL, job = NULL';
  const claimed = 'queue = ? AND conversation = ? AND owner = ? AND claim = ?';
  const findClaim = sql(`SELECT 1 AS one FROM head WHERE ${claimed}`);
  const removeLastHead = sql(`DELETE FROM head WHERE ${claimed} AND jobs = 1 RETURNING jobs`);
  const removeHead = sql('DELETE FROM head WHERE queue = ? AND conversation = ?');
  const advanceHead = sql(
    `UPDATE head SET jobs = jobs - 1, due_at = ?, delay_ms = 0, ${unclaimed} WHERE ${claimed} RETURNING jobs`,
  );
  const postponeHead = sql(
    `UPDATE head SET due_at = ?, delay_ms = ?, ${unclaimed} WHERE ${claimed} RETURNING jobs`,
  );
  const freeHead = sql(`UPDATE head SET ${unclaimed} WHERE ${claimed} RETURNING jobs`);
  const freeUnused = sql(
    `UPDATE head SET ${unclaimed}
     WHERE queue = ? AND owner = ? AND claim < ? AND claim NOT IN (SELECT value FROM json_each(?))`,
  );
  const freeHeadsOf = sql(`UPDATE head SET ${unclaimed} WHERE owner = ? RETURNING jobs`);
  const removeJob = sql('DELETE FROM job WHERE seq = ?');
  const keepJob = sql("UPDATE job SET state = 'done', attempts = attempts + 1, error = NULL WHERE seq = ?");
  const makeDead = sql("UPDATE job SET state = 'dead', attempts = attempts + 1, error = ? WHERE seq = ?");
  const failJob = sql('UPDATE job SET attempts = attempts + ?, crashes = 0, error = ? WHERE seq = ?');
  const interruptJob = sql('UPDATE job SET interruptions = interruptions + 1, crashes = 0 WHERE seq = ?');
  const crashJobsOf = sql(
    `UPDATE job SET interruptions = interruptions + 1, crashes = max(crashes, min(crashes + 1, ${SUSPECT_CRASHES}))
     WHERE seq IN (SELECT job FROM head WHERE owner = ?)`,
  );
  const beginAlone = sql(
    `UPDATE job SET crashes = crashes + 1
     WHERE seq = ? AND EXISTS (SELECT 1 FROM head WHERE ${claimed}) RETURNING seq`,
  );
  const updateProcess = sql(
    'UPDATE process SET renewals = ?, lease_ms = ?, identity = ? WHERE owner = ? RETURNING owner',
  );
  const insertProcess = sql('INSERT INTO process (renewals, lease_ms, identity, owner) VALUES (?, ?, ?, ?)');
  const findProcess = sql('SELECT owner FROM process WHERE owner = ?');
  const otherProcesses = sql('SELECT owner, renewals, lease_ms, identity FROM process WHERE owner <> ?');
  // It died during a claim, or made one after a pause during which its row was removed.
  const ownersWithoutRow = sql(
    'SELECT DISTINCT owner FROM head WHERE owner IS NOT NULL AND owner NOT IN (SELECT owner FROM process)',
  );
  const removeRecord = sql('DELETE FROM process WHERE owner = ? AND renewals = ?');
  const nextQueue = sql('SELECT min(queue) AS queue FROM head WHERE queue > ?');
  // In two parts, each of which has an index.
  const [boundWaiting, boundClaimed] = [
    'queue = ?2 AND owner IS NULL AND jobs > 0 AND due_at > ?1',
    'owner IS NOT NULL',
  ].map((where) => sql(`UPDATE head SET due_at = ?1 + delay_ms WHERE ${where} AND due_at > ?1 + delay_ms`));
  const removeProcess = sql('DELETE FROM process WHERE owner = ?');

  const changed = (row: SqlRow | undefined): boolean => row !== undefined;

  const nextQueueAfter = (queue: string): string | null => {
    const next = nextQueue.get(queue)?.queue;
    return typeof next === 'string' ? next : null;
  };

  /** Ends the claim on a conversation whose first job is done or dead. */
  const advance = (queue: string, conversation: string, claim: number, now: number): SettleResult => {
    if (changed(removeLastHead.get(queue, conversation, owner, claim))) return 'idle';
    return changed(advanceHead.get(now, queue, conversation, owner, claim)) ? 'more' : 'lost';
  };

  return {
    add(queue, key, conversation, type, content, userIds, onBehalfOf, claim, now) {
      const isHeld =
        !onBehalfOf ||
        changed(findClaim.get(onBehalfOf.queue, onBehalfOf.conversation, owner, onBehalfOf.claim));
      if (!isHeld) return { id: '0', isDuplicate: false, isClaimed: false, isRefused: true };
      const digest = digestKey(queue, key);
      const inserted = insertKey.get(digest, now);
      if (!inserted) return { id: String(findKey.get(digest)?.seq), isDuplicate: true, isClaimed: false };
      const seq = Number(inserted.seq);
      insertJob.get(seq, queue, conversation, type, now, content);
      const isFirst = changed(
        claim === null
          ? insertHead.get(queue, conversation, now, null, null, null)
          : insertHead.get(queue, conversation, now, owner, claim, seq),
      );
      if (!isFirst) countJob.get(queue, conversation);
      for (const userId of userIds) noteUser.get(digestText(userId), conversation, now);
      return { id: String(seq), isDuplicate: false, isClaimed: isFirst && claim !== null };
    },
    claim(queue, claim, limit, now) {
      const jobs: ClaimedJob[] = [];
      for (const { conversation: stored } of dueHeads.all(queue, now, limit)) {
        const conversation = String(stored);
        const row = firstJob.get(queue, conversation);
        if (!row) {
          removeHead.get(queue, conversation);
          continue;
        }
        takeHead.get(owner, claim, Number(row.seq), queue, conversation);
        jobs.push(toJob({ ...row, conversation }, claim));
      }
      const dueAt = jobs.length < limit ? (nextDue.get(queue)?.due_at ?? null) : null;
      return { jobs, nextDueInMs: dueAt === null ? null : Math.max(0, Number(dueAt) - now) };
    },
    complete(queue, id, conversation, claim, now) {
      const result = advance(queue, conversation, claim, now);
      if (result !== 'lost') (keepContent ? keepJob : removeJob).get(Number(id));
      return result;
    },
    fail(queue, id, conversation, claim, { error, retryInMs, counts }, now) {
      if (retryInMs === null) {
        const result = advance(queue, conversation, claim, now);
        if (result !== 'lost') makeDead.get(encodeText(error), Number(id));
        return result;
      }
      const delayMs = boundDelay(retryInMs);
      if (!changed(postponeHead.get(now + delayMs, delayMs, queue, conversation, owner, claim)))
        return 'lost';
      failJob.get(counts ? 1 : 0, encodeText(error), Number(id));
      return 'idle';
    },
    release(queue, jobs, interrupted) {
      for (const { id, conversation, claim } of jobs) {
        const isOurs = changed(freeHead.get(queue, conversation, owner, claim));
        if (isOurs && interrupted) interruptJob.get(Number(id));
      }
    },
    releaseUnused: (queue, inUse, before) => void freeUnused.get(queue, owner, before, JSON.stringify(inUse)),
    beginAlone: (queue, id, conversation, claim) =>
      changed(beginAlone.get(Number(id), queue, conversation, owner, claim)),
    renewLease({ renewals, leaseMs, identity }) {
      const values = [renewals, leaseMs, identity, owner] as const;
      const isNew = !changed(updateProcess.get(...values));
      if (isNew) insertProcess.get(...values);
      return {
        isNew,
        others: [...otherProcesses.all(owner), ...ownersWithoutRow.all()].map(toProcessRecord),
      };
    },
    reclaim({ owner: dead, renewals }) {
      removeRecord.get(dead, renewals);
      if (changed(findProcess.get(dead))) return 0;
      crashJobsOf.get(dead);
      return freeHeadsOf.all(dead).length;
    },
    boundDueTimes(now) {
      for (let queue = nextQueueAfter(''); queue !== null; queue = nextQueueAfter(queue)) {
        boundWaiting?.get(now, queue);
      }
      boundClaimed?.get(now);
    },
    endLease() {
      freeHeadsOf.all(owner);
      removeProcess.get(owner);
    },
  };
}
