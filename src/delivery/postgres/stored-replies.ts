import { randomUUID } from 'node:crypto';
import type { ServiceClient } from '../../client/index.js';
import type { Receipt, Replies, ReplyOptions } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { checkReply, replyKey, type StoredReply } from '../outbox.js';
import type { FollowedReceipts } from './followed-receipts.js';
import { idOf } from './job.js';
import type { Writer } from './writer.js';

/** What {@link createStoredReplies} needs. */
export interface StoredRepliesParts {
  readonly client: ServiceClient | null;
  readonly writer: Writer;
  readonly receipts: FollowedReceipts;
  /** Hears that there is something to send. */
  readonly onStored: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Stores replies and closes; a receipt means that it is safe. */
export function createStoredReplies(parts: StoredRepliesParts): Replies {
  const { client, writer, receipts, onStored, onTrouble } = parts;

  const store = async (
    conversationId: string,
    reply: StoredReply,
    how: ReplyOptions = {},
  ): Promise<Receipt> => {
    checkReply(client, conversationId, reply);
    // What is to be said once may be said once in every conversation.
    const key = JSON.stringify([conversationId, replyKey(conversationId, how, randomUUID())]);
    const id = idOf(key);
    const receipt = receipts.open(id, conversationId);
    try {
      await writer.add({ key, conversationId, what: reply.kind, content: JSON.stringify(reply) });
    } catch (error) {
      onTrouble(error);
      const failure = new HandoffKitError('NOT_STORED', 'the reply could not be stored.', { cause: error });
      receipts.failed(id, failure);
      throw failure;
    }
    receipts.stored(id);
    onStored();
    return receipt;
  };

  return {
    reply: (id, text, how) => store(id, { kind: 'reply', text, timestamp: Date.now() }, how),
    end: (id, how) => store(id, { kind: 'close', timestamp: Date.now() }, how),
    idle: () => Promise.resolve(),
  };
}
