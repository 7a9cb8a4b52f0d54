import type { Receipt } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { JobStatus, Queue } from '../queue.js';

/** Receipts of stored replies, whichever process sends them. */
export interface Receipts {
  /** The receipt of a stored reply. Replies with the same id share one. */
  open(id: string, conversationId: string): Receipt;
  /** This process delivered the reply. */
  delivered(id: string, answer: unknown): void;
  /** The reply became a dead letter here. */
  failed(id: string, error: unknown): void;
  /** Looks up what other processes have sent. */
  refresh(): Promise<void>;
}

interface OpenReceipt {
  readonly receipt: Receipt;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Ids per lookup. */
const LOOKUP_SIZE = 500;

/** An answer is known only in the process that sent the reply; elsewhere it is `null`. */
export function createReceipts(outbox: Pick<Queue, 'statusOf'>): Receipts {
  const open = new Map<string, OpenReceipt>();

  const take = (id: string): OpenReceipt | undefined => {
    const found = open.get(id);
    open.delete(id);
    return found;
  };

  const settle = (id: string, status: JobStatus | undefined): void => {
    if (status?.state === 'done') take(id)?.resolve(null);
    else if (status?.state === 'dead') take(id)?.reject(deadLetterError(status.error));
    else if (status?.state === 'gone') take(id)?.reject(goneError());
  };

  return {
    open(id, conversationId) {
      const known = open.get(id);
      if (known) return known.receipt;
      const { promise, resolve, reject } = withResolvers();
      // Callers may never call `delivered()`; the outbox reports failures anyway.
      promise.catch(() => undefined);
      const receipt: Receipt = { conversationId, state: 'stored', delivered: () => promise };
      open.set(id, { receipt, resolve, reject });
      return receipt;
    },
    delivered: (id, answer) => take(id)?.resolve(answer),
    failed: (id, error) => take(id)?.reject(error),
    async refresh() {
      const ids = [...open.keys()];
      for (let from = 0; from < ids.length; from += LOOKUP_SIZE) {
        const some = ids.slice(from, from + LOOKUP_SIZE);
        const statuses = await outbox.statusOf(some);
        for (const [index, id] of some.entries()) settle(id, statuses[index]);
      }
    },
  };
}

function withResolvers() {
  let resolve: (answer: unknown) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((onAnswer, onError) => {
    resolve = onAnswer;
    reject = onError;
  });
  return { promise, resolve, reject };
}

const deadLetterError = (why: string): HandoffKitError =>
  new HandoffKitError(
    'REPLY_FAILED',
    `the platform did not take the reply, which is now a dead letter (${why}). Retry or discard it.`,
  );

const goneError = (): HandoffKitError =>
  new HandoffKitError('REPLY_GONE', 'the reply was removed before the platform had it.');
