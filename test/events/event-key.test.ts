import { describe, expect, it } from 'vitest';
import { eventKey, needsSession } from '../../src/events/index.js';
import { validateWebhook, type WebhookEndpoint } from '../../src/protocol/index.js';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';

const keyOf = (endpoint: WebhookEndpoint, body: WireBody, session?: number): string =>
  eventKey(endpoint, validateWebhook(endpoint, body), { session });

describe('two deliveries of one event', () => {
  it.each<[WebhookEndpoint, WireBody]>([
    ['message', botMessageBody()],
    ['establish', establishBody()],
    ['chat', chatBody()],
    ['close', closeBody()],
    ['establish', establishBody({ timestamp: null })],
    ['close', closeBody({ timestamp: null })],
    ['chat', chatBody({ timestamp: 1_742_265_090.895 })],
    ['chat', chatBody({ message_id: { toString: 0 } })],
    ['chat', chatBody({ timestamp: '1742265090895123456' })],
    ['chat', chatBody({ timestamp: 1_742_265_090, message_id: 'm' })],
  ])('have one key: %s', (endpoint, body) => {
    expect(keyOf(endpoint, structuredClone(body))).toBe(keyOf(endpoint, body));
  });

  it('have one key, whether ids and times are numbers or strings', () => {
    expect(keyOf('chat', chatBody({ conversation_id: 7, timestamp: '1742265090895' }))).toBe(
      keyOf('chat', chatBody({ conversation_id: '7', timestamp: 1_742_265_090_895 })),
    );
  });
});

describe('two events', () => {
  const same = { conversation_id: 'c', timestamp: 1 };

  it.each<[string, WebhookEndpoint, WireBody, WireBody]>([
    [
      'message ids',
      'message',
      botMessageBody({ conversation_id: 'c' }),
      botMessageBody({ conversation_id: 'c' }),
    ],
    ['times', 'establish', establishBody(same), establishBody({ ...same, timestamp: 2 })],
    ['words', 'chat', chatBody(same), chatBody({ ...same, body: 'other' })],
    ['reasons', 'close', closeBody(same), closeBody({ ...same, type: 'TIMEOUT' })],
    ['ids', 'chat', chatBody({ ...same, message_id: 1 }), chatBody({ ...same, message_id: 2 })],
    [
      'content, if a request has no time',
      'establish',
      establishBody({ ...same, timestamp: null, bot_id: 'a' }),
      establishBody({ ...same, timestamp: null, bot_id: 'b' }),
    ],
    [
      'long texts',
      'chat',
      chatBody({ ...same, body: 'x'.repeat(5_000) }),
      chatBody({ ...same, body: 'x'.repeat(5_001) }),
    ],
  ])('have two keys when they differ in their %s', (_what, endpoint, first, second) => {
    expect(keyOf(endpoint, first)).not.toBe(keyOf(endpoint, second));
  });

  it.each([[null], [''], ['yesterday'], [1_742_265_090], ['1742265090']])(
    'have two keys if the time of a message is %j: the user may write the same text twice',
    (timestamp) => {
      const body = chatBody({ timestamp });
      expect(keyOf('chat', body)).not.toBe(keyOf('chat', body));
    },
  );

  it.each<[WebhookEndpoint, WireBody]>([
    ['establish', establishBody({ timestamp: null })],
    ['close', closeBody({ timestamp: null })],
  ])('have two keys in two sessions, if they have no time: %s', (endpoint, body) => {
    expect(needsSession(endpoint, validateWebhook(endpoint, body))).toBe(true);
    expect(keyOf(endpoint, body, 1)).not.toBe(keyOf(endpoint, body, 2));
  });

  it.each<[WebhookEndpoint, WireBody]>([
    ['establish', establishBody()],
    ['close', closeBody()],
    ['chat', chatBody({ timestamp: null })],
    ['message', botMessageBody({ create_time: null })],
  ])('need no session if they have a time: %s', (endpoint, body) => {
    expect(needsSession(endpoint, validateWebhook(endpoint, body))).toBe(false);
  });

  it('have two keys at different endpoints', () => {
    const keys = [
      keyOf('chat', chatBody(same)),
      keyOf('close', closeBody(same)),
      keyOf('establish', establishBody(same)),
    ];
    expect(new Set(keys).size).toBe(3);
  });

  it("stay distinct if they have another endpoint's fields", () => {
    const strange = { ...same, message_id: 'm', type: 'TIMEOUT' };
    expect(keyOf('chat', chatBody({ ...strange, body: 'one' }))).not.toBe(
      keyOf('chat', chatBody({ ...strange, body: 'two' })),
    );
    expect(keyOf('close', closeBody({ ...strange, body: 'x' }))).not.toBe(
      keyOf('close', closeBody({ ...strange, body: 'x', type: 'USER_CLOSED' })),
    );
    expect(keyOf('establish', establishBody({ ...strange }))).not.toBe(
      keyOf('establish', establishBody({ ...strange, timestamp: 2 })),
    );
  });
});

describe('a key', () => {
  it('has a bounded length, and contains no long text', () => {
    const key = keyOf('chat', chatBody({ conversation_id: 'c'.repeat(10_000), body: 'x'.repeat(100_000) }));
    expect(key.length).toBeLessThanOrEqual(160);
  });
});
