import { type LarkSettings, lark } from '../../../src/adapters/lark/index.js';
import type {
  InboundEvent,
  InboundRequest,
  ParsedWebhook,
  SignatureVerdict,
} from '../../../src/bridge/index.js';
import { setUpAdapter } from '../../fixtures/adapter-session.js';
import { type LarkRequest, signedRequest } from '../../fixtures/lark/deliver.js';
import { FAKE, startFakeLark } from '../../fixtures/lark/fake-lark.js';
import { fakeSettings } from '../../fixtures/lark/harness.js';

/** The fake, a proxy before it, and the adapter. They stop with the test. */
export const setUp = async (settings: Partial<LarkSettings> = {}) =>
  setUpAdapter(await startFakeLark(), (url) => lark({ ...fakeSettings(url), ...settings }));

/** An adapter for tests of `verify` and `parse`. */
export function webhookAdapter(settings: Partial<LarkSettings> = {}) {
  return lark({ ...fakeSettings('https://open.feishu.cn'), ...settings }) as {
    readonly verify: (request: InboundRequest) => SignatureVerdict;
    readonly parse: (request: InboundRequest) => ParsedWebhook;
  };
}

/** A request as the bridge passes it to an adapter. */
export const inbound = ({ headers, body }: LarkRequest, receivedAt = Date.now()): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers,
  body: Buffer.from(body),
  receivedAt,
});

/** An event of Lark, signed and encrypted. */
export const eventRequest = (
  event_type: string,
  event: object,
  key: string = FAKE.encryptKey,
): InboundRequest =>
  inbound(signedRequest({ schema: '2.0', header: { event_id: 'ev_1', event_type }, event }, key));

/** The id of the thread's first message in {@link messageRequest}. */
export const ROOT = 'om_root';

/** A message of an agent in a thread, with overridden fields. */
export const messageRequest = (
  message: Readonly<Record<string, unknown>>,
  sender: object = { sender_id: { open_id: FAKE.agent }, sender_type: 'user' },
): InboundRequest =>
  eventRequest('im.message.receive_v1', {
    sender,
    message: {
      message_id: 'om_1',
      root_id: ROOT,
      parent_id: ROOT,
      thread_id: 'omt_1',
      create_time: '1700000000000',
      chat_id: FAKE.chat,
      chat_type: 'group',
      message_type: 'text',
      content: JSON.stringify({ text: 'Hello' }),
      ...message,
    },
  });

/** The events of a text of an agent. */
export const eventsOfText = (
  text: string,
  mentions: readonly object[] = [],
  settings: Partial<LarkSettings> = {},
): readonly InboundEvent[] =>
  webhookAdapter(settings).parse(messageRequest({ content: JSON.stringify({ text }), mentions })).events;
