import type { ServiceClient } from '../client/index.js';
import type { DeliveryHost } from './delivery.js';
import {
  describeError,
  interrupted,
  type OutboxPolicy,
  type Receipts,
  retryReplyAfter,
  type StoredReply,
  sendReply,
} from './outbox.js';
import type { Attempt, Ending, Work } from './work.js';

/** What {@link createSending} needs. */
export interface SendingParts {
  readonly client: ServiceClient;
  readonly receipts: Receipts;
  readonly policy: OutboxPolicy;
  /** Hears of replies that are parked. */
  readonly host: DeliveryHost;
}

/** Sends a stored reply once, and says what becomes of it. */
export function createSending({ client, receipts, policy, host }: SendingParts): Attempt {
  const send = async (work: Work): Promise<Ending> => {
    const { id, conversationId, content, attempts, createdAt } = work;
    try {
      if (work.interrupted && policy.whenUnknown === 'park') throw interrupted();
      const answer = await sendReply(client, conversationId, JSON.parse(content ?? '{}') as StoredReply);
      receipts.delivered(id, answer);
      return { state: 'done', answer };
    } catch (error) {
      const afterMs = retryReplyAfter(error, { attempts, ageMs: Date.now() - createdAt }, policy);
      if (afterMs !== null) return { state: 'waiting', error: describeError(error), afterMs };
      host.report(error, { conversationId, attempt: attempts });
      receipts.failed(id, error);
      return { state: 'dead', error: describeError(error) };
    }
  };
  return (work, onEnd) => void send(work).then(onEnd);
}
