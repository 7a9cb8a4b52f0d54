import { type Adapter, defineAdapter } from '../../bridge/index.js';
import { createSlackApi } from './api.js';
import { createCheck } from './check.js';
import { createClose } from './close.js';
import { checkedTs, createOpening } from './open.js';
import { AS_IT_IS, escapeText } from './outgoing-text.js';
import { parseRequest } from './parse.js';
import { checkSettings, type SlackSettings } from './settings.js';
import { threadOf } from './thread-ref.js';
import { verifyRequest } from './verify.js';

/** Slack posts about one message a second in a channel, and answers 429 to more. */
const ONE_A_SECOND = { count: 1, perMs: 1000 } as const;

/**
 * Carries conversations into threads of a Slack channel.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: slack({ botToken: 'xoxb-…', signingSecret: '…', channel: 'C0123456789' }),
 * });
 */
export function slack(settings: SlackSettings): Adapter {
  const checked = checkSettings(settings);
  const api = createSlackApi(checked);
  return defineAdapter({
    name: 'slack',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: false,
      messageIds: true,
      // From 4,000 characters on Slack may make several messages of one.
      maxTextLength: 3_800,
      rate: { overall: ONE_A_SECOND, perConversation: ONE_A_SECOND },
    },
    ...createOpening(checked, api),
    async send(ref, { text }, call) {
      const { channel, ts } = threadOf(ref);
      // Slack refuses a message without text.
      const words = text.trim() === '' ? '[empty message]' : escapeText(text);
      const message = { channel, thread_ts: ts, text: words, mrkdwn: false, ...AS_IT_IS };
      return { messageId: checkedTs(await api.write('chat.postMessage', message, call)) };
    },
    close: createClose(api),
    verify: (request) => verifyRequest(request, checked),
    parse: (request) => parseRequest(request, checked),
    check: createCheck(checked),
  });
}
