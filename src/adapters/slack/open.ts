import {
  type AdapterCall,
  asObject,
  asObjects,
  asText,
  type HandoffSession,
  type JsonObject,
  keyHash,
  type OpenedConversation,
} from '../../bridge/index.js';
import { isRootOf, rootMessage } from './root-message.js';
import type { CheckedSettings } from './settings.js';
import { timestampOf, toOpened } from './thread.js';
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
      return toOpened(thread, settings);
    },
    async find(session, call) {
      const root = await findRoot(session, call);
      if (!root) return null;
      const thread = { channel, ts: timestampOf(root) };
      return toOpened(thread, settings);
    },
  };
}
