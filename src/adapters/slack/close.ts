import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
} from '../../bridge/index.js';
import { asObjects, type JsonObject } from './json.js';
import { POST_OPTIONS } from './outgoing-text.js';
import { closedNotice, closedRoot, isOpenRoot } from './root-message.js';
import { type Thread, threadOf } from './thread.js';
import type { SlackApi } from './web-api.js';

/** The `close` of the adapter. */
export type Close = (ref: ConversationRef, reason: CloseReason, call: AdapterCall) => Promise<void>;

/**
 * Creates `close`. Slack threads have no closed state, so `close` posts a notice and then removes the button. In this
 * order: without the notice agents would write on, and a second notice after a retry does no harm.
 */
export function createClose(api: SlackApi): Close {
  const findRoot = async ({ channel, ts }: Thread, call: AdapterCall): Promise<JsonObject | null> => {
    const args = {
      channel,
      oldest: ts,
      latest: ts,
      inclusive: 'true',
      limit: '1',
      include_all_metadata: 'true',
    };
    const { messages } = await api.read('conversations.history', args, call);
    return asObjects(messages).find((message) => message.ts === ts) ?? null;
  };

  const closeThread = async (thread: Thread, reason: CloseReason, call: AdapterCall): Promise<void> => {
    const { channel, ts } = thread;
    const root = await findRoot(thread, call);
    // Without its button the thread is closed; without its first message it was deleted.
    if (!root || !isOpenRoot(root)) return;
    const notice = { channel, thread_ts: ts, ...closedNotice(reason.text), ...POST_OPTIONS };
    await api.write('chat.postMessage', notice, call);
    const update = { channel, ts, ...closedRoot(root, reason.text), parse: 'none', link_names: false };
    await api.write('chat.update', update, call);
  };

  return async (ref, reason, call) => {
    try {
      await closeThread(threadOf(ref), reason, call);
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'gone') return;
      throw error;
    }
  };
}
