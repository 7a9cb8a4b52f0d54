import { livechat } from '../../../src/adapters/livechat/index.js';
import type { InboundRequest } from '../../../src/bridge/index.js';
import { setUpAdapter } from '../../fixtures/adapter-session.js';
import {
  FAKE_WEBHOOK_SECRET,
  ORGANIZATION,
  startFakeLiveChat,
} from '../../fixtures/livechat/fake-livechat.js';
import { fakeSettings } from '../../fixtures/livechat/harness.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export const setUp = async () =>
  setUpAdapter(await startFakeLiveChat(), (url) => livechat(fakeSettings(url)));

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
