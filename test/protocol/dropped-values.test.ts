import type * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  botMessage,
  droppedValues,
  validate,
  type WebhookEndpoint,
  webhookBodies,
} from '../../src/protocol/index.js';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';
import { property } from '../helpers/property.js';
import * as wire from './arbitraries.js';

const schemas = { ...webhookBodies, message: botMessage };
const valuesOf = (endpoint: WebhookEndpoint, body: WireBody) =>
  droppedValues(body, validate(schemas[endpoint], body));
const dropped = (endpoint: WebhookEndpoint, body: WireBody): string[] => [
  ...new Set(valuesOf(endpoint, body).map(({ path }) => path)),
];

describe('values that normalising drops', () => {
  it.each<[string, WebhookEndpoint, WireBody, string[]]>([
    ['a time', 'chat', chatBody({ timestamp: 'yesterday' }), ['timestamp']],
    ['a reason', 'close', closeBody({ type: { name: 'TIMEOUT' } }), ['type']],
    ['an address and an id', 'establish', establishBody({ email: ['a'], bot_id: true }), ['email', 'bot_id']],
    ['a user', 'establish', establishBody({ user_info: 'me' }), ['user_info']],
    [
      'several users',
      'establish',
      establishBody({ user_info: [{ user_id: 'a' }, { user_id: 'b' }] }),
      ['user_info.user_id'],
    ],
    [
      'texts of items, named once',
      'establish',
      establishBody({ body: [{ text: { de: 'x' } }, { text: [{ de: 'y' }] }] }),
      ['body[].text'],
    ],
    ['istest', 'chat', chatBody({ istest: 'maybe' }), ['istest']],
    [
      'a figure and content of a message',
      'message',
      botMessageBody({
        output: [{ content: { text: { de: 'x' } } }],
        usage: { tokens: [{ total_tokens: 'many' }] },
      }),
      ['output[].content.text', 'usage.tokens.total_tokens'],
    ],
    [
      'what is beside the words',
      'message',
      botMessageBody({ output: [{ content: { text: [{ text: 'a', image: 'https://a', bold: null }] } }] }),
      ['output[].content.text.image'],
    ],
    [
      'a part of a list without words',
      'message',
      botMessageBody({ output: [{ content: { text: ['a', { de: 'x' }] } }] }),
      ['output[].content.text'],
    ],
  ])('are named by their path: %s', (_what, endpoint, body, paths) => {
    expect(dropped(endpoint, body)).toEqual(paths);
  });

  it('are named once for each kind of value', () => {
    const items = [{ type: 'x' }, { type: 'y' }, [['z']]].map((message_type) => ({
      text: 'a',
      message_type,
    }));
    const body = establishBody({ body: items });
    expect(valuesOf('establish', body)).toEqual([
      { path: 'body[].message_type', kind: 'object' },
      { path: 'body[].message_type', kind: 'string' },
    ]);
  });

  it.each<[string, WebhookEndpoint, WireBody]>([
    ['the contract’s own types', 'establish', establishBody()],
    ['numbers for text', 'establish', establishBody({ email: 5, body: [5, { text: 6, message_type: 7 }] })],
    ['one value instead of a list', 'establish', establishBody({ body: { text: 'x' } })],
    ['a list of one', 'establish', establishBody({ user_info: [{ user_id: 4 }] })],
    [
      'any form of an absent value',
      'establish',
      establishBody({ email: '', body: null, user_info: [], bot_id: {} }),
    ],
    ['lists of texts', 'message', botMessageBody({ output: [{ content: ['a', 'b\nc', 'd'] }] })],
    [
      'words within words',
      'message',
      botMessageBody({
        output: [
          [{ text: 'a' }, [{ content: { text: { text: 'b' } } }]],
          { content: { text: [{ text: 'c' }] } },
        ],
      }),
    ],
    [
      'words within a transcript',
      'establish',
      establishBody({ body: [[{ text: ['a', { text: 'b' }] }, 'c'], { text: { text: 'd' } }] }),
    ],
    ['text as output', 'message', botMessageBody({ output: 'hello', usage: { tokens: '3' } })],
    [
      'one clip instead of a list',
      'message',
      botMessageBody({ output: { content: { audio: 'https://a' } } }),
    ],
    [
      'unknown fields',
      'message',
      botMessageBody({ x: [{ y: [null, ''] }], output: [{ content: { card: 1 } }] }),
    ],
  ])('are none for %s', (_what, endpoint, body) => {
    expect(dropped(endpoint, body)).toEqual([]);
  });
});

describe.each([
  ['message', wire.message],
  ['establish', wire.establish],
  ['chat', wire.chat],
  ['close', wire.close],
] as [WebhookEndpoint, fc.Arbitrary<WireBody>][])('%s: every tolerated body', (endpoint, body) => {
  property([body])('drops no values, even after a JSON round trip', (sent) => {
    expect(dropped(endpoint, sent)).toEqual([]);
    const read: unknown = JSON.parse(JSON.stringify(validate(schemas[endpoint], sent)));
    expect(droppedValues(sent, read)).toEqual([]);
  });
});
