/**
 * The adapter for chat platforms of the Vercel Chat SDK: Microsoft Teams, Google Chat, Discord, Telegram, WhatsApp.
 *
 * @module
 */
import { type Adapter, AdapterError, defineAdapter } from '../../bridge/index.js';
import { createRecentKeys } from '../../internal/index.js';
import {
  createFetch,
  createListener,
  type FetchHandler,
  type RequestListener,
} from '../../receiver/index.js';
import { createCheck } from './check.js';
import { createDelivery } from './delivery.js';
import { toAdapterError, untilAborted, WRONG_CONCURRENCY } from './errors.js';
import { eventsOf, referenceTag } from './incoming.js';
import { createOpening } from './open.js';
import { createPlatform } from './platform.js';
import type { SdkMessageHandler } from './sdk.js';
import { type ChatSdkSettings, checkSettings } from './settings.js';
import { createWebhook } from './webhook.js';

export type { DiscordSettings } from './discord-threads.js';
export type { ChatInstance } from './sdk.js';
export type { ChatSdkSettings } from './settings.js';

/** An adapter with the endpoint for the webhooks of its platform. */
export interface ChatSdkAdapter extends Adapter {
  /**
   * Receives the platform's webhooks, instead of `chat.webhooks`. Mount it before body parsers.
   *
   * @example
   * app.use('/teams', adapter.webhook);
   */
  readonly webhook: RequestListener;
  /**
   * The same for servers that speak Fetch, whatever the path.
   *
   * @example
   * export const POST = adapter.fetch;
   */
  readonly fetch: FetchHandler;
}

/**
 * Creates an adapter for one channel of a platform that the Vercel Chat SDK supports.
 *
 * @example
 * const chat = new Chat({
 *   userName: 'handoff',
 *   adapters: { teams: createTeamsAdapter() },
 *   state: createMemoryState(),
 *   concurrency: 'concurrent',
 * });
 * const adapter = chatSdk({ chat, channel: 'teams:…' });
 * const bridge = createBridge({ receiver, adapter });
 * app.use('/teams', adapter.webhook);
 */
export function chatSdk(settings: ChatSdkSettings): ChatSdkAdapter {
  const checked = checkSettings(settings);
  const { chat, adapter, adapterName, webhook } = checked;
  const platform = createPlatform(adapter, checked.channel, settings.discord);
  const delivery = createDelivery();
  /** Conversations with a notice of their end: a close that is repeated, because its answer was lost, posts no second. */
  const closed = createRecentKeys({ maxKeys: 10_000, maxAgeMs: 86_400_000 });

  const post = async (threadId: string, reference: string | undefined, text: string, what: string) => {
    const tagged = reference === undefined ? text : `${referenceTag(reference)} ${text}`;
    try {
      return await adapter.postMessage(threadId, { raw: platform.literal(tagged) });
    } catch (error) {
      throw toAdapterError(platform.name, what, error);
    }
  };

  let isTold = false;
  const onMessage: SdkMessageHandler = (_thread, message, context) => {
    if (context && !isTold) {
      isTold = true;
      delivery.log.error({}, WRONG_CONCURRENCY);
    }
    const messages = [...(context?.skipped ?? []), message];
    return delivery.deliver(messages.flatMap((each) => eventsOf(each, checked, platform)));
  };
  // A thread without a subscription is one whose subscription was lost with the SDK's state.
  chat.onSubscribedMessage(onMessage);
  chat.onNewMention(onMessage);
  chat.onNewMessage(/(?:)/, onMessage);

  const handling = createWebhook(platform.name, webhook, delivery);

  return defineAdapter({
    name: adapterNameFor(adapterName),
    capabilities: {
      inbound: ['stream'],
      // A webhook reaches one process, whichever that is.
      streamsPerProcess: true,
      nativeClose: false,
      messageIds: true,
      maxTextLength: platform.maxTextLength,
      rate: platform.rate,
    },
    ...createOpening(checked, platform),
    send: ({ externalId, extra }, { text }, call) =>
      untilAborted(call, platform.name, 'sending a message', async () => {
        const shown = text.trim() === '' ? '[empty message]' : text;
        const { id } = await post(extra.threadId ?? externalId, extra.reference, shown, 'sending a message');
        return { messageId: id === '' ? null : id };
      }),
    close: ({ externalId, extra }, { text }, call) =>
      untilAborted(call, platform.name, 'closing a conversation', async () => {
        const threadId = extra.threadId ?? externalId;
        try {
          if (!closed.has(externalId)) {
            await post(threadId, extra.reference, `Closed: ${text}`, 'closing a conversation');
          }
          closed.add(externalId);
          if (extra.reference === undefined) await chat.thread(threadId).unsubscribe();
        } catch (error) {
          if (error instanceof AdapterError && error.kind === 'gone') return;
          throw toAdapterError(platform.name, 'closing a conversation', error);
        }
      }),
    async stream(emit, call) {
      try {
        await chat.initialize();
      } catch (error) {
        throw toAdapterError(platform.name, 'starting the Chat', error);
      }
      await delivery.listen(emit, call);
    },
    check: createCheck(checked, platform),
    async dispose() {
      delivery.stop();
    },
    webhook: createListener(handling),
    fetch: createFetch(handling),
  });
}

/** The name in logs and stored keys, such as `chat-sdk-teams`. */
const adapterNameFor = (platform: string): string =>
  `chat-sdk-${platform.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 31);
