import { onTestFinished } from 'vitest';
import { zendesk } from '../../../src/adapters/zendesk/index.js';
import type { HandoffSession, InboundRequest } from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { createFaultProxy } from '../../../src/testing/conformance/index.js';
import { FAKE_WEBHOOK_SECRET, startFakeZendesk } from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';

/** The last argument of every call. */
export const CALL = { signal: new AbortController().signal, log: silentLog };

/** A session of a user. */
export const SESSION: HandoffSession = {
  key: 'session-1',
  conversationId: 'conversation-1',
  user: { key: 'user:ada', userId: 'ada', anonymousId: null, email: 'support@example.com', phone: null },
  botId: 'bot',
  transcript: [{ from: 'user', text: 'Where is my parcel?' }],
  requestedAt: new Date(),
  replyBy: new Date(Date.now() + 60_000),
};

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export async function setUp() {
  const fake = await startFakeZendesk();
  const proxy = await createFaultProxy(fake.url);
  onTestFinished(async () => {
    await proxy.stop();
    await fake.stop();
  });
  const adapter = zendesk(fakeSettings(proxy.url));
  const open = async (session: HandoffSession = SESSION) => {
    const { externalId } = await adapter.open(session, CALL);
    return { externalId, url: null, extra: {}, conversationId: session.conversationId, user: session.user };
  };
  return { fake, proxy, adapter, open };
}

/** A webhook request with the right secret. */
export const webhook = (payload: unknown, secret = FAKE_WEBHOOK_SECRET): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers: { 'x-api-key': secret },
  body: Buffer.from(JSON.stringify(payload)),
  receivedAt: Date.now(),
});
