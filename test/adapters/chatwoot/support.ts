import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type ChatwootSettings, chatwoot } from '../../../src/adapters/chatwoot/index.js';
import {
  type Adapter,
  type AdapterCall,
  AdapterError,
  type ConversationRef,
  type HandoffSession,
  type InboundRequest,
  type OpenedConversation,
} from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { createFaultProxy } from '../../../src/testing/conformance/index.js';
import {
  FAKE_INBOX,
  FAKE_SECRET,
  type FakeChatwootOptions,
  startFakeChatwoot,
} from '../../fixtures/chatwoot/fake-chatwoot.js';

/** The second argument of adapter methods. */
export const call: AdapterCall = { signal: new AbortController().signal, log: silentLog };

/** Creates the adapter with default settings. It needs no disposal. */
export function createAdapter(settings: Partial<ChatwootSettings> = {}) {
  return chatwoot({
    url: 'http://127.0.0.1:9',
    inbox: FAKE_INBOX,
    webhookSecret: FAKE_SECRET,
    ...settings,
  }) as Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;
}

/** Starts the fake and a fault proxy in front of it, and creates an adapter for the proxy, until the test ends. */
export async function startChatwoot(
  options: FakeChatwootOptions = {},
  settings: Omit<Partial<ChatwootSettings>, 'url'> = {},
) {
  const fake = await startFakeChatwoot(options);
  const proxy = await createFaultProxy(fake.url);
  onTestFinished(async () => {
    await proxy.stop();
    await fake.stop();
  });
  return { ...fake, fake, proxy, adapter: createAdapter({ ...settings, url: proxy.url }) };
}

/** A session for `open` and `find`. */
export function session(key: string, details: Partial<HandoffSession> = {}): HandoffSession {
  return {
    key,
    conversationId: `handoff of ${key}`,
    bot: 'default',
    user: { key: `user:${key}`, userId: key, anonymousId: null, email: 'support@example.com', phone: null },
    botId: 'bot-1',
    transcript: [
      { from: 'user', text: 'Where is my parcel?' },
      { from: 'bot', text: '' },
      { from: 'bot', text: 'I do not know.' },
    ],
    requestedAt: new Date(0),
    replyBy: new Date(60_000),
    ...details,
  };
}

/** The reference that `send` and `close` receive. */
export function toRef(
  { conversationId, bot, user }: HandoffSession,
  { externalId, url, extra }: OpenedConversation,
): ConversationRef {
  return { conversationId, bot, externalId, url: url ?? null, extra: extra ?? {}, user };
}

/** The error with which a call fails. */
export async function failureOf(task: Promise<unknown>): Promise<AdapterError> {
  const error: unknown = await task.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AdapterError) return error;
  throw new Error('an AdapterError was expected', { cause: error });
}

/** The time at which test webhooks arrive. */
export const NOW = Date.UTC(2026, 4, 1, 12);

/** A webhook as Chatwoot sends it, signed. */
export function webhook(
  body: string | object,
  { secret = FAKE_SECRET, at = NOW, receivedAt = NOW } = {},
): InboundRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const timestamp = String(Math.floor(at / 1000));
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest('hex');
  return {
    method: 'POST',
    url: '/',
    headers: {
      'content-type': 'application/json',
      'x-chatwoot-delivery': '0f8fad5b-d9cb-469f-a165-70867728950e',
      'x-chatwoot-timestamp': timestamp,
      'x-chatwoot-signature': `sha256=${hex}`,
    },
    body: bytes,
    receivedAt,
  };
}
