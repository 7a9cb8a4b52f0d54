import {
  type AdapterCall,
  AdapterError,
  asObjects,
  asText,
  type CloseReason,
  type ConversationRef,
  type JsonObject,
} from '../../bridge/index.js';
import { POST_OPTIONS } from './outgoing-text.js';
import { closedNotice, closedRoot, isClosedNotice, isOpenRoot } from './root-message.js';
import { type Thread, threadOf } from './thread.js';
import type { SlackApi } from './web-api.js';

/** The `close` of the adapter. */
export type Close = (ref: ConversationRef, reason: CloseReason, call: AdapterCall) => Promise<void>;

/**
 * Creates `close`. Slack threads have no closed state, so `close` posts a notice and then removes the button. In this
 * order: without the notice agents would write on, and a button that stays does no harm.
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

  /** Whether an earlier attempt posted the notice: it is the last reply then, unless an agent wrote since. */
  const hasNotice = async (
    { channel, ts }: Thread,
    { latest_reply }: JsonObject,
    call: AdapterCall,
  ): Promise<boolean> => {
    const oldest = asText(latest_reply);
    if (oldest === '') return false;
    const args = { channel, ts, oldest, inclusive: 'true', limit: '10' };
    const { messages } = await api.read('conversations.replies', args, call);
    return asObjects(messages).some(isClosedNotice);
  };

  const removeButton = async (
    { channel, ts }: Thread,
    root: JsonObject,
    { text }: CloseReason,
    call: AdapterCall,
  ): Promise<void> => {
    const update = { channel, ts, ...closedRoot(root, text), parse: 'none', link_names: false };
    try {
      await api.write('chat.update', update, call);
    } catch (error) {
      if (!isRefusedForGood(error)) throw error;
      call.log.warn({ err: error }, 'slack: closed with a notice; the first message keeps its button');
    }
  };

  const closeThread = async (thread: Thread, reason: CloseReason, call: AdapterCall): Promise<void> => {
    const { channel, ts } = thread;
    const root = await findRoot(thread, call);
    // Without its button the thread is closed; without its first message it was deleted.
    if (!root || !isOpenRoot(root)) return;
    const notice = { channel, thread_ts: ts, ...closedNotice(reason.text), ...POST_OPTIONS };
    if (!(await hasNotice(thread, root, call))) await api.write('chat.postMessage', notice, call);
    await removeButton(thread, root, reason, call);
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

/** Slack took the notice, so a refusal concerns this message alone, such as one that is too old to be edited. */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof AdapterError && (error.kind === 'invalid' || error.kind === 'auth');
