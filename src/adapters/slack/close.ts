import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
} from '../../bridge/index.js';
import type { SlackApi } from './api.js';
import { AS_IT_IS } from './outgoing-text.js';
import { type Fields, listOf } from './read.js';
import { closedNotice, closedRoot, isOpenRoot } from './root-message.js';
import { type Thread, threadOf } from './thread-ref.js';

/** Ends a conversation for the agents. */
export type Close = (ref: ConversationRef, reason: CloseReason, call: AdapterCall) => Promise<void>;

/**
 * Makes `close`. Slack knows no end of a thread: the thread is told, then the button is taken away. In this
 * order, because agents who are not told write on; a second telling does no harm.
 */
export function createClose(api: SlackApi): Close {
  const rootOf = async ({ channel, ts }: Thread, call: AdapterCall): Promise<Fields | null> => {
    const args = {
      channel,
      oldest: ts,
      latest: ts,
      inclusive: 'true',
      limit: '1',
      include_all_metadata: 'true',
    };
    const { messages } = await api.read('conversations.history', args, call);
    return listOf(messages).find((message) => message.ts === ts) ?? null;
  };

  const end = async (thread: Thread, reason: CloseReason, call: AdapterCall): Promise<void> => {
    const { channel, ts } = thread;
    const root = await rootOf(thread, call);
    // Without its button it is closed; without its first message nobody can look at it any more.
    if (!root || !isOpenRoot(root)) return;
    const notice = { channel, thread_ts: ts, ...closedNotice(reason.text), ...AS_IT_IS };
    await api.write('chat.postMessage', notice, call);
    const update = { channel, ts, ...closedRoot(root, reason.text), parse: 'none', link_names: false };
    await api.write('chat.update', update, call);
  };

  return async (ref, reason, call) => {
    try {
      await end(threadOf(ref), reason, call);
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'gone') return;
      throw error;
    }
  };
}
