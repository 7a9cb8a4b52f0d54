/**
 * The Chatwoot adapter: a handed-over conversation is a conversation of an API inbox. It needs the inbox identifier
 * and the webhook secret, and no access token of an agent.
 *
 * @module
 */
import { type Adapter, defineAdapter, undeliveredNote } from '../../bridge/index.js';
import { checkSetup } from './check.js';
import { closeConversation, contactOf, postUndelivered } from './close.js';
import { createOpening, MAX_TEXT } from './open.js';
import { createPublicApi } from './public-api.js';
import { type ChatwootSettings, checkSettings } from './settings.js';
import { listEvents, parse, verify } from './webhook.js';

export type { ChatwootSettings } from './settings.js';

/**
 * Creates the adapter for Chatwoot 4.13 or later.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: chatwoot({ url: 'https://chat.example.com', inbox: '…', webhookSecret: '…' }),
 * });
 * app.use('/chatwoot', bridge.webhook);
 */
export function chatwoot(settings: ChatwootSettings): Adapter {
  const checked = checkSettings(settings);
  const api = createPublicApi(checked);

  return defineAdapter({
    name: 'chatwoot',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      unordered: true,
      marksFailedWebhooks: true,
      rate: {
        overall: { count: 3000, perMs: 60_000 },
        perConversation: { count: 200, perMs: 60_000 },
      },
    },
    ...createOpening(api, checked),
    async send(ref, { key, text }, call) {
      return { messageId: await api.postMessage(contactOf(ref), ref.externalId, { text, key }, call) };
    },
    close: (ref, reason, call) => closeConversation(api, ref, reason, call),
    catchUp: (ref, since, call) => listEvents(api, ref, since, call),
    undelivered: (ref, message, reason, call) =>
      postUndelivered(api, ref, undeliveredNote(message, reason), call),
    verify: (request) => verify(checked.webhookSecrets, request),
    parse,
    check: (call) => checkSetup(checked, call),
  });
}
