import { type HandoffConversation, SimulatorError } from '../simulator/index.js';
import type { Complain } from './report.js';

/** What a conversation of the bench needs besides the simulator's. */
export interface ConversationParts {
  readonly complain: Complain;
  /** How long to wait for a reply unless a call says otherwise. */
  readonly replyTimeoutMs: number;
}

/** The simulator's conversation, with errors that show what passed. */
export function withReports(
  handle: HandoffConversation,
  { complain, replyTimeoutMs }: ConversationParts,
): HandoffConversation {
  const whileItLasts = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SimulatorError) || error.code !== 'CONVERSATION_OVER') throw error;
      throw complain('CONVERSATION_OVER', 'the user has nobody to talk to any more.', handle, error);
    }
  };

  const conversation: HandoffConversation = {
    ...handle,
    say: (text) => whileItLasts(() => handle.say(text)),
    closeByUser: () => whileItLasts(() => handle.closeByUser()),
    async nextReply({ timeoutMs = replyTimeoutMs } = {}) {
      try {
        return await handle.nextReply({ timeoutMs });
      } catch (error) {
        const over = handle.state === 'closed' || handle.state === 'busy';
        const problem = over ? 'no further reply can come.' : `no reply came within ${timeoutMs} ms.`;
        throw complain('NO_REPLY', problem, handle, error);
      }
    },
  };
  return Object.defineProperties(conversation, {
    state: { enumerable: true, get: () => handle.state },
    endedBy: { enumerable: true, get: () => handle.endedBy },
  });
}
