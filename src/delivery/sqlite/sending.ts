import type { ServiceClient } from '../../service/index.js';
import type { DeliveryHost } from '../delivery.js';
import {
  describeError,
  interrupted,
  type OutboxPolicy,
  type Receipts,
  retryReplyAfter,
  type StoredReply,
  sendReply,
} from '../outbox.js';
import type { Ending, Item } from './queue.js';

/** What {@link createSending} needs. */
export interface SendingParts {
  readonly client: ServiceClient;
  readonly receipts: Receipts;
  readonly policy: OutboxPolicy;
  /** Whether the content of what was sent is kept. */
  readonly keepContent: boolean;
  /** Tells of replies that are parked. */
  readonly report: DeliveryHost['report'];
}

/** Sends a stored reply once, and says what becomes of it. */
export function createSending({ client, receipts, policy, keepContent, report }: SendingParts) {
  return async (item: Item): Promise<Ending> => {
    try {
      if (item.interrupted && policy.whenUnknown === 'park') throw interrupted();
      const answer = await sendReply(client, item.lane, JSON.parse(item.content ?? '{}') as StoredReply);
      receipts.delivered(item.key, answer);
      return { state: 'done', keepContent };
    } catch (error) {
      const now = Date.now();
      const attempt = { attempts: item.attempts, ageMs: now - item.createdAt };
      const afterMs = retryReplyAfter(error, attempt, policy);
      if (afterMs !== null) return { state: 'waiting', error: describeError(error), dueAt: now + afterMs };
      report(error, { conversationId: item.lane, attempt: item.attempts });
      receipts.failed(item.key, error);
      return { state: 'dead', error: describeError(error) };
    }
  };
}
