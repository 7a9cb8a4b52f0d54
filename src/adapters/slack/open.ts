import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  type OpenedConversation,
} from '../../bridge/index.js';
import type { SlackApi } from './api.js';
import { AS_IT_IS } from './outgoing-text.js';
import { type Fields, fieldsOf, listOf, textOf } from './read.js';
import { isRootOf, longTranscript, markOf, rootMessage } from './root-message.js';
import type { Slack } from './settings.js';
import { isTs, openedOf, type Thread } from './thread-ref.js';

/** Messages can be long, and an answer of Slack may not: so few a page. */
const PAGE = 15;
const MOST_PAGES = 20;
/** How far Slack's clock may be behind ours. */
const CLOCKS_DIFFER_S = 300;

/** What brings a conversation into Slack. */
export interface Opening {
  /** Starts a thread. One call does it, so that it is there whole or not at all. */
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  /** Looks in the channel for a thread that an earlier `open` made. */
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
}

/** Makes `open` and `find`. */
export function createOpening(slack: Slack, api: SlackApi): Opening {
  const { channel } = slack;

  /** The first message shows the end of a long transcript; all of it is worth a try, and no failure. */
  const addLongTranscript = async (
    session: HandoffSession,
    thread: Thread,
    { log, signal }: AdapterCall,
  ): Promise<void> => {
    const text = longTranscript(session);
    if (text === null) return;
    const args = { channel, thread_ts: thread.ts, text, mrkdwn: false, ...AS_IT_IS };
    try {
      await api.write('chat.postMessage', args, { signal });
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn(
        { err: error },
        'slack: the whole transcript could not be shown; its end is in the first message',
      );
    }
  };

  const findRoot = async (session: HandoffSession, { signal }: AdapterCall): Promise<Fields | null> => {
    const mark = markOf(session);
    const oldest = String(Math.floor(session.requestedAt.getTime() / 1000) - CLOCKS_DIFFER_S);
    const args = { channel, oldest, limit: String(PAGE), include_all_metadata: 'true' };
    let cursor = '';
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const more = cursor === '' ? {} : { cursor };
      const answer = await api.read('conversations.history', { ...args, ...more }, { signal }, SETTINGS);
      const found = listOf(answer.messages).find((message) => isRootOf(message, mark));
      if (found) return found;
      cursor = textOf(fieldsOf(answer.response_metadata).next_cursor);
      if (cursor === '') return null;
    }
    return null;
  };

  return {
    async open(session, call) {
      const answer = await api.write('chat.postMessage', rootMessage(session, slack), call, SETTINGS);
      const thread = { channel, ts: checkedTs(answer) };
      await addLongTranscript(session, thread, call);
      return openedOf(thread, slack);
    },
    async find(session, call) {
      const root = await findRoot(session, call);
      if (!root) return null;
      const thread = { channel, ts: checkedTs(root) };
      if (root.reply_count === undefined) await addLongTranscript(session, thread, call);
      return openedOf(thread, slack);
    },
  };
}

/** Before there is a thread, a channel that cannot be used is a matter of the settings. */
const SETTINGS = { channelFault: 'auth' } as const;

/** The time stamp of a message, which is its id. */
export function checkedTs({ ts }: Fields): string {
  const text = textOf(ts);
  if (isTs(text)) return text;
  throw new AdapterError('transient', 'Slack answered without the time stamp of the message.');
}
