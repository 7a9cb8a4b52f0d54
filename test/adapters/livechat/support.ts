import { onTestFinished } from 'vitest';
import { livechat } from '../../../src/adapters/livechat/index.js';
import type { HandoffSession, InboundRequest } from '../../../src/bridge/index.js';
import { createFaultProxy } from '../../../src/testing/conformance/index.js';
import { CALL, refOf, SESSION } from '../../fixtures/adapter-session.js';
import {
  FAKE_WEBHOOK_SECRET,
  ORGANIZATION,
  startFakeLiveChat,
} from '../../fixtures/livechat/fake-livechat.js';
import { fakeSettings } from '../../fixtures/livechat/harness.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export async function setUp() {
  const fake = await startFakeLiveChat();
  const proxy = await createFaultProxy(fake.url);
  onTestFinished(async () => {
    await proxy.stop();
    await fake.stop();
  });
  const adapter = livechat(fakeSettings(proxy.url));
  const open = async (session: HandoffSession = SESSION) => refOf(session, await adapter.open(session, CALL));
  return { fake, proxy, adapter, open };
}

/** A webhook request. */
export const webhook = (
  action: string,
  payload: object,
  secret_key = FAKE_WEBHOOK_SECRET,
): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers: {},
  body: Buffer.from(
    JSON.stringify({ webhook_id: 'w', secret_key, action, organization_id: ORGANIZATION, payload }),
  ),
  receivedAt: Date.now(),
});
