import { deliveredReceipt, type Replies, type ReplyOptions } from '../events/index.js';
import type { CloseResult, HandoffLifecycle } from '../handoff/index.js';
import { createKeyedQueue, type Log } from '../internal/index.js';

/** What {@link trackReplies} needs. */
export interface TrackedRepliesParts {
  readonly lifecycle: HandoffLifecycle;
  /** What sends or stores them. */
  readonly replies: Replies;
  readonly log: Log;
}

/** Replies whose meaning for the conversation is noted. */
export interface TrackedReplies extends Replies {
  /** The same for what the receiver says by itself. */
  readonly greetings: Replies;
}

/** Makes {@link TrackedReplies}. One whose meaning cannot be stored rejects, though it may have been sent. */
export function trackReplies({ lifecycle, replies, log }: TrackedRepliesParts): TrackedReplies {
  // Whether a close must be sent is looked up first; what is said after it must not overtake it meanwhile.
  const lanes = createKeyedQueue();

  /** Nobody may be waiting for the reply, and then a failure is heard of here only. */
  const noted = async <Result>(conversationId: string, change: Promise<Result>): Promise<Result> => {
    try {
      return await change;
    } catch (error) {
      log.error({ conversationId, err: error }, 'what became of a conversation could not be stored');
      throw error;
    }
  };

  const say =
    (whose: 'agent' | 'kit'): Replies['reply'] =>
    (id, text, options = {}) =>
      lanes.run(id, async () => {
        const receipt = await replies.reply(id, text, options);
        const { by = whose, agent = null } = options;
        await noted(id, lifecycle.replied(id, { human: by === 'agent', agent }));
        return receipt;
      });

  const end: Replies['end'] = (id, options = {}) =>
    lanes.run(id, async () => {
      const { by = 'agent', why = null } = options;
      const ended = await noted(id, lifecycle.end(id, by, why));
      if (ended && isKnown(ended, options)) return deliveredReceipt(id, null);
      const receipt = await replies.end(id, options);
      await noted(id, lifecycle.close(id));
      return receipt;
    });

  const idle = async (): Promise<void> => {
    await lanes.idle();
    await replies.idle();
  };

  return { reply: say('agent'), end, idle, greetings: { reply: say('kit'), end, idle } };
}

/** Whether the service need not be told of an end: it was the first to say so, or it was told before. */
function isKnown({ conversation, isFirst }: CloseResult, { once }: ReplyOptions): boolean {
  if (isFirst) return false;
  const by = conversation.closure?.by;
  if (by === 'user' || by === 'timeout') return true;
  // A close that happens once is told apart where it is stored, and its receipt is found there.
  return conversation.state === 'closed' && once === undefined;
}
