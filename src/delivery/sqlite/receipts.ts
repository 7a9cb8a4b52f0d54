import type { Receipt } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { createReceipts, type Receipts } from '../outbox.js';
import type { QueueReads } from './queue-reads.js';

/** Receipts of replies, whoever of those that share the file sends them. */
export interface FollowedReceipts extends Receipts {
  /** The reply is stored, perhaps long ago: from now on what became of it can be looked up. */
  stored(key: string): void;
  stop(): void;
}

/** What {@link followReceipts} needs. */
export interface FollowParts {
  readonly outbox: Pick<QueueReads, 'find'>;
  /** How often to look. */
  readonly pollMs: number;
  readonly onTrouble: (error: unknown) => void;
}

/** Looked up in one go; the others have their turn the next time. */
const AT_ONCE = 200;

/** Makes {@link FollowedReceipts}. Replies with the same key share one receipt. */
export function followReceipts({ outbox, pollMs, onTrouble }: FollowParts): FollowedReceipts {
  const receipts = createReceipts();
  const open = new Map<string, Receipt>();
  const followed = new Map<string, Receipt>();

  const lookUp = (key: string, { conversationId }: Receipt): void => {
    const found = outbox.find(key, conversationId);
    if (!found) receipts.failed(key, goneError());
    else if (found.state === 'done') receipts.delivered(key, null);
    else if (found.state === 'dead') receipts.failed(key, parkedError(found.error));
  };

  const look = (): void => {
    try {
      for (const [key, receipt] of [...followed].slice(0, AT_ONCE)) {
        followed.delete(key);
        followed.set(key, receipt);
        lookUp(key, receipt);
      }
    } catch (error) {
      onTrouble(error);
    }
  };
  const timer = setInterval(look, pollMs).unref();

  return {
    open(key, conversationId) {
      const known = open.get(key);
      if (known) return known;
      const receipt = receipts.open(key, conversationId);
      open.set(key, receipt);
      const close = (): void => {
        open.delete(key);
        followed.delete(key);
      };
      receipt.delivered.then(close, close);
      return receipt;
    },
    delivered: (key, answer) => receipts.delivered(key, answer),
    failed: (key, error) => receipts.failed(key, error),
    stored(key) {
      const receipt = open.get(key);
      if (receipt) followed.set(key, receipt);
    },
    stop: () => clearInterval(timer),
  };
}

const parkedError = (why: string | null): HandoffKitError =>
  new HandoffKitError(
    'REPLY_PARKED',
    `the reply was not taken and is parked (${why}). Send it again or discard it.`,
  );

const goneError = (): HandoffKitError =>
  new HandoffKitError('REPLY_GONE', 'the reply was removed before the service had it.');
