/**
 * The Slack adapter: a handed-over conversation is a thread of a channel.
 *
 * @module
 */
import { type Adapter, defineAdapter, undeliveredNote } from '../../bridge/index.js';
import { createCheck } from './check.js';
import { createClose } from './close.js';
import { createAgentName } from './names.js';
import { createOpening } from './open.js';
import { escapeText, POST_OPTIONS } from './outgoing-text.js';
import { checkSettings, type SlackSettings } from './settings.js';
import { threadOf, timestampOf } from './thread.js';
import { createSlackApi } from './web-api.js';
import { createCatchUp, parseRequest, verifyRequest } from './webhook.js';

export type { SlackSettings } from './settings.js';

/** Slack accepts about one message a second in a channel, and answers 429 to more. */
const ONE_A_SECOND = { count: 1, perMs: 1000 } as const;

/**
 * Creates the Slack adapter.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: slack({ botToken: 'xoxb-…', signingSecret: '…', channel: 'C0123456789' }),
 * });
 * app.use('/slack', bridge.webhook);
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
      // Slack may split messages of 4,000 characters or more.
      maxTextLength: 3_800,
      rate: { overall: ONE_A_SECOND, perConversation: ONE_A_SECOND },
    },
    ...createOpening(checked, api),
    async send(ref, { text }, call) {
      const { channel, ts } = threadOf(ref);
      // Slack rejects a message without text.
      const shown = text.trim() === '' ? '[empty message]' : escapeText(text);
      const message = { channel, thread_ts: ts, text: shown, mrkdwn: false, ...POST_OPTIONS };
      return { messageId: timestampOf(await api.write('chat.postMessage', message, call)) };
    },
    catchUp: createCatchUp(api, checked),
    agentName: createAgentName(api),
    async undelivered(ref, message, reason, call) {
      const { channel, ts } = threadOf(ref);
      const text = escapeText(undeliveredNote(message, reason));
      await api.write(
        'chat.postMessage',
        { channel, thread_ts: ts, text, mrkdwn: false, ...POST_OPTIONS },
        call,
      );
    },
    close: createClose(api),
    verify: (request) => verifyRequest(request, checked),
    parse: (request) => parseRequest(request, checked),
    check: createCheck(checked),
  });
}
