import type { Receipt } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { JobStatus, Queue } from '../queue.js';
import type { SqlDatabase } from '../storage/sql.js';

/**
 * Receipts of stored replies, whichever process sends them. A receipt is not looked up until `delivered()` is called:
 *
 * ```
 *   delivered() ──► watched ──► sent or refused by this process ──► settled
 *                      │
 *                      └──► looked up: once at first, when a process has sent something, and every `pollMs`
 * ```
 */
export interface Receipts {
  open(id: string, conversationId: string): Receipt;
  /** This process delivered the reply. */
  delivered(id: string, answer: unknown): void;
  /** The reply became a dead letter here. */
  failed(id: string, error: unknown): void;
  /** Ends all lookups: what is watched, and whatever is watched later, is rejected. */
  stop(): void;
}

interface ReceiptsOptions {
  readonly statusOf: Queue['statusOf'];
  readonly sql: Pick<SqlDatabase, 'subscribe'>;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

/** The topic that is published when a reply was sent or became a dead letter. */
export const RECEIPTS_TOPIC = 'receipts';

const LOOKUP_SIZE = 500;

/** The time between lookups of all watched replies, however many are sent. */
const SHORTEST_PAUSE_MS = 250;

/** How many outcomes are remembered at least, for calls of `delivered()` that come after them; twice as many at most. */
const REMEMBERED = 500;

/** Settles a promise as a reply turned out. */
type Outcome = (watched: Watched) => void;

interface Watched {
  readonly answer: Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An answer is known only in the process that sent the reply, and not for long; else it is `null`. */
export function createReceipts({ statusOf, sql, pollMs, onError }: ReceiptsOptions): Receipts {
  const watched = new Map<string, Watched>();
  /** Watched since the last turn of the event loop, and never looked up. */
  let unseen: string[] = [];
  let unsubscribe: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let stopped = false;

  /** Outcomes of replies before `delivered()` was called. When the newer generation is full, the older is dropped. */
  let outcomes = new Map<string, Outcome>();
  let olderOutcomes = new Map<string, Outcome>();

  const settle = (id: string, outcome: Outcome): void => {
    const found = watched.get(id);
    watched.delete(id);
    if (found) {
      outcome(found);
      return;
    }
    if (outcomes.size >= REMEMBERED) {
      olderOutcomes = outcomes;
      outcomes = new Map();
    }
    outcomes.set(id, outcome);
  };

  const settleAs = (id: string, status: JobStatus | undefined): void => {
    if (!watched.has(id) || !status || status.state === 'waiting') return;
    if (status.state === 'done') settle(id, ({ resolve }) => resolve(null));
    else if (status.state === 'dead') settle(id, ({ reject }) => reject(deadLetterError(status.error)));
    else settle(id, ({ reject }) => reject(goneError()));
  };

  const lookUp = async (ids: readonly string[]): Promise<void> => {
    try {
      for (let from = 0; from < ids.length; from += LOOKUP_SIZE) {
        const batch = ids.slice(from, from + LOOKUP_SIZE);
        const statuses = await statusOf(batch);
        for (const [index, id] of batch.entries()) settleAs(id, statuses[index]);
      }
    } catch (error) {
      onError(error);
    }
  };

  const lookUpAll = async (): Promise<void> => {
    await lookUp([...watched.keys()]);
    dueAt = Number.POSITIVE_INFINITY;
    lookUpWithin(pollMs);
  };

  /** Looks up everything that is watched, within a time. */
  const lookUpWithin = (ms: number): void => {
    const at = performance.now() + ms;
    if (stopped || watched.size === 0 || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void lookUpAll(), ms).unref();
  };

  const watch = (id: string): Promise<unknown> => {
    const known = watched.get(id);
    if (known) return known.answer;
    let resolve: Watched['resolve'] = () => undefined;
    let reject: Watched['reject'] = () => undefined;
    const answer = new Promise<unknown>((...settlers) => {
      [resolve, reject] = settlers;
    });
    // The outbox reports failures, whether the caller waits or not.
    answer.catch(() => undefined);
    const outcome = outcomes.get(id) ?? olderOutcomes.get(id);
    if (outcome) {
      outcome({ answer, resolve, reject });
      return answer;
    }
    if (stopped) {
      reject(stoppedError());
      return answer;
    }
    watched.set(id, { answer, resolve, reject });
    unsubscribe ??= sql.subscribe(RECEIPTS_TOPIC, () => lookUpWithin(SHORTEST_PAUSE_MS));
    // It may have been sent before.
    if (unseen.push(id) === 1) {
      setImmediate(() => {
        const ids = unseen;
        unseen = [];
        void lookUp(ids.filter((each) => watched.has(each)));
      });
    }
    lookUpWithin(pollMs);
    return answer;
  };

  return {
    open: (id, conversationId) => ({
      conversationId,
      state: 'stored',
      jobId: id,
      delivered: () => watch(id),
    }),
    delivered: (id, answer) => settle(id, ({ resolve }) => resolve(answer)),
    failed: (id, error) => settle(id, ({ reject }) => reject(error)),
    stop() {
      stopped = true;
      clearTimeout(timer);
      unsubscribe?.();
      for (const { reject } of watched.values()) reject(stoppedError());
      watched.clear();
    },
  };
}

const deadLetterError = (reason: string): HandoffKitError =>
  new HandoffKitError(
    'REPLY_FAILED',
    `the platform did not take the reply, which is now a dead letter (${reason}). Retry or discard it.`,
  );

const stoppedError = (): HandoffKitError =>
  new HandoffKitError(
    'DELIVERY_STOPPED',
    'the receiver was closed before the platform had the reply. It stays stored, and is sent after the next start.',
  );

const goneError = (): HandoffKitError =>
  new HandoffKitError('REPLY_GONE', 'the reply was removed before the platform had it.');
