import { onTestFinished } from 'vitest';
import { zendesk } from '../../../src/adapters/zendesk/index.js';
import type { HandoffSession, InboundRequest } from '../../../src/bridge/index.js';
import { createFaultProxy } from '../../../src/testing/conformance/index.js';
import { CALL, refOf, SESSION } from '../../fixtures/adapter-session.js';
import { FAKE_WEBHOOK_SECRET, startFakeZendesk } from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export async function setUp() {
  const fake = await startFakeZendesk();
  const proxy = await createFaultProxy(fake.url);
  onTestFinished(async () => {
    await proxy.stop();
    await fake.stop();
  });
  const adapter = zendesk(fakeSettings(proxy.url));
  const open = async (session: HandoffSession = SESSION) => refOf(session, await adapter.open(session, CALL));
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
