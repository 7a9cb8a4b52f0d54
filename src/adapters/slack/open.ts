import {
  type AdapterCall,
  AdapterError,
  asObject,
  asObjects,
  asText,
  type HandoffSession,
  type JsonObject,
  keyHash,
  type OpenedConversation,
} from '../../bridge/index.js';
import { POST_OPTIONS } from './outgoing-text.js';
import { fullTranscript, isRootOf, rootMessage } from './root-message.js';
import type { CheckedSettings } from './settings.js';
import { type Thread, timestampOf, toOpened } from './thread.js';
import type { SlackApi } from './web-api.js';

/** Small pages: messages can be long, and responses have a size limit. */
const PAGE_SIZE = 15;
const MAX_PAGES = 20;
/** How far Slack's clock may be behind ours. */
const CLOCK_SKEW_SECONDS = 300;

/** Before a thread exists, an unusable channel means a wrong setting. */
const CHANNEL_FROM_SETTINGS = { channelErrorKind: 'auth' } as const;

/** The `open` and `find` of the adapter. */
export interface Opening {
  /** Starts a thread. A single call, so that the thread exists completely or not at all. */
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  /** Searches the channel for a thread that an earlier `open` started. */
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
}

/** Creates `open` and `find`. */
export function createOpening(settings: CheckedSettings, api: SlackApi): Opening {
  const { channel } = settings;

  /** The first message shows the end of a long transcript. Posting all of it is optional: failures are logged. */
  const postFullTranscript = async (
    session: HandoffSession,
    thread: Thread,
    { log, signal }: AdapterCall,
  ): Promise<void> => {
    const text = fullTranscript(session);
    if (text === null) return;
    const args = { channel, thread_ts: thread.ts, text, mrkdwn: false, ...POST_OPTIONS };
    try {
      await api.write('chat.postMessage', args, { signal });
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn({ err: error }, 'slack: the full transcript was not posted; its end is in the first message');
    }
  };

  const findRoot = async (session: HandoffSession, { signal }: AdapterCall): Promise<JsonObject | null> => {
    const hash = keyHash(session);
    const oldest = String(Math.floor(session.requestedAt.getTime() / 1000) - CLOCK_SKEW_SECONDS);
    const args = { channel, oldest, limit: String(PAGE_SIZE), include_all_metadata: 'true' };
    let cursor = '';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const more: Readonly<Record<string, string>> = cursor === '' ? {} : { cursor };
      const response = await api.read(
        'conversations.history',
        { ...args, ...more },
        { signal },
        CHANNEL_FROM_SETTINGS,
      );
      const found = asObjects(response.messages).find((message) => isRootOf(message, hash));
      if (found) return found;
      cursor = asText(asObject(response.response_metadata).next_cursor);
      if (cursor === '') return null;
    }
    return null;
  };

  return {
    async open(session, call) {
      const response = await api.write(
        'chat.postMessage',
        rootMessage(session, settings),
        call,
        CHANNEL_FROM_SETTINGS,
      );
      const thread = { channel, ts: timestampOf(response) };
      await postFullTranscript(session, thread, call);
      return toOpened(thread, settings);
    },
    async find(session, call) {
      const root = await findRoot(session, call);
      if (!root) return null;
      const thread = { channel, ts: timestampOf(root) };
      if (root.reply_count === undefined) await postFullTranscript(session, thread, call);
      return toOpened(thread, settings);
    },
  };
}
