import type { StoredJobDetails } from '../../delivery/index.js';
import { handoffChat } from '../../protocol/index.js';
import type { Receiver } from '../../receiver/index.js';

/** A message of the user. */
export interface UserMessage {
  /** The key of its event. */
  readonly key: string;
  readonly text: string;
}

/** Finds queued messages of the same conversation that fit into one message together with `first`. */
export type FindQueuedMessages = (
  conversationId: string,
  first: UserMessage,
  maxLength: number,
) => Promise<readonly UserMessage[]>;

/** Upper bound on messages joined at once. */
const MAX_JOINED = 20;

/** Between messages that are joined into one. */
export const SEPARATOR = '\n';

/**
 * Creates {@link FindQueuedMessages}. The events behind the current one wait in the inbox. Joined ones are marked as
 * sent, so their own turn sends nothing. Without durable delivery nothing is found, and each message is sent alone.
 */
export function createFindQueuedMessages({ queues }: Receiver['storage']): FindQueuedMessages {
  if (!queues) return async () => [];
  return async (conversationId, first, maxLength) => {
    const waiting = await queues.list('inbox', { state: 'waiting', conversationId, limit: MAX_JOINED });
    const found: UserMessage[] = [];
    let room = maxLength - first.text.length;
    for (const { id, what } of waiting) {
      const message = what === 'handoff.message' ? readQueuedMessage(await queues.show('inbox', id)) : null;
      if (message?.key === first.key) continue;
      room -= (message?.text.length ?? 0) + SEPARATOR.length;
      // Only whole messages, and none behind an event of another kind: order is kept.
      if (!message || room < 0) break;
      found.push(message);
    }
    return found;
  };
}

function readQueuedMessage(job: StoredJobDetails | null): UserMessage | null {
  const chat = handoffChat.safeParse(job?.content);
  return job?.key && chat.success ? { key: job.key, text: chat.data.body } : null;
}
