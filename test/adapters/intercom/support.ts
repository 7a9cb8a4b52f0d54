import { createHmac } from 'node:crypto';
import { intercom } from '../../../src/adapters/intercom/index.js';
import type { InboundEvent, InboundRequest } from '../../../src/bridge/index.js';
import { setUpAdapter } from '../../fixtures/adapter-session.js';
import {
  FAKE_CLIENT_SECRET,
  FAKE_TOKEN,
  type FakeIntercomOptions,
  startFakeIntercom,
} from '../../fixtures/intercom/fake-intercom.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export const setUp = async (options: FakeIntercomOptions = {}) =>
  setUpAdapter(await startFakeIntercom(options), (apiUrl) =>
    intercom({ accessToken: FAKE_TOKEN, clientSecret: FAKE_CLIENT_SECRET, apiUrl }),
  );

/** A webhook request with a right signature. */
export function webhook(payload: unknown, secret = FAKE_CLIENT_SECRET): InboundRequest {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const signature = createHmac('sha1', secret).update(body).digest('hex');
  return {
    method: 'POST',
    url: '/',
    headers: { 'x-hub-signature': `sha1=${signature}` },
    body,
    receivedAt: Date.now(),
  };
}

/** The events of a notification with one part. */
export function eventsOf(part: object, topic = 'conversation.admin.replied'): readonly InboundEvent[] {
  const item = {
    type: 'conversation',
    id: '401',
    conversation_parts: { type: 'conversation_part.list', conversation_parts: [part], total_count: 1 },
  };
  const adapter = intercom({ accessToken: FAKE_TOKEN, clientSecret: FAKE_CLIENT_SECRET });
  return adapter.parse?.(webhook({ type: 'notification_event', topic, data: { item } })).events ?? [];
}
