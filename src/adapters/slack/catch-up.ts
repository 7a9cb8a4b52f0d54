import type { AdapterCall, ConversationRef, InboundEvent } from '../../bridge/index.js';
import { asObject, asObjects, asText } from './json.js';
import type { CheckedSettings } from './settings.js';
import { threadOf } from './thread.js';
import type { SlackApi } from './web-api.js';
import { messageEvents } from './webhook.js';

/** Slack's own limit is 1,000, and it recommends at most 200. */
const PAGE_SIZE = '200';
const MAX_PAGES = 5;

/** Creates `catchUp`: reads the thread. Clicks on the button are not in it. */
export function createCatchUp(api: SlackApi, settings: CheckedSettings) {
  let ownId: string | null = null;
  /** Tells our messages, and mentions of the app, which are internal. */
  const loadOwnId = async (call: AdapterCall): Promise<string> => {
    ownId ??= asText((await api.read('auth.test', {}, call)).user_id);
    return ownId;
  };

  return async (ref: ConversationRef, since: Date, call: AdapterCall): Promise<readonly InboundEvent[]> => {
    const { channel, ts } = threadOf(ref);
    const authorizations = [{ is_bot: true, user_id: await loadOwnId(call) }];
    const events: InboundEvent[] = [];
    let cursor = '';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const oldest = (since.getTime() / 1000).toFixed(6);
      const args = { channel, ts, oldest, limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) };
      const { messages, response_metadata } = await api.read('conversations.replies', args, call);
      for (const message of asObjects(messages)) {
        const event = { ...message, type: 'message', channel };
        events.push(...messageEvents({ event, authorizations }, settings));
      }
      cursor = asText(asObject(response_metadata).next_cursor);
      if (cursor === '') break;
    }
    return events;
  };
}
