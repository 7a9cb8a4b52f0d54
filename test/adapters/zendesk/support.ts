import { zendesk } from '../../../src/adapters/zendesk/index.js';
import type { InboundRequest } from '../../../src/bridge/index.js';
import { setUpAdapter } from '../../fixtures/adapter-session.js';
import { FAKE_WEBHOOK_SECRET, startFakeZendesk } from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export const setUp = async () => setUpAdapter(await startFakeZendesk(), (url) => zendesk(fakeSettings(url)));

/** A webhook request with the right secret. */
export const webhook = (payload: unknown, secret = FAKE_WEBHOOK_SECRET): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers: { 'x-api-key': secret },
  body: Buffer.from(JSON.stringify(payload)),
  receivedAt: Date.now(),
});
