import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { AdapterError, type InboundMessage } from '../../../src/bridge/index.js';
import { envelope } from '../../fixtures/slack/fake-slack.js';
import { escaped, typedMessage } from '../../fixtures/slack/typed-text.js';
import { IDS } from '../../fixtures/slack/workspace.js';
import { property } from '../../helpers/property.js';
import { adapterFor, inbound, messageRequest, request } from './support.js';

const adapter = adapterFor();

/** The events of a body; `null` when `parse` rejects it as unreadable. */
function parseResult(body: string | Buffer): readonly unknown[] | null {
  try {
    return adapter.parse({ ...request(''), body: Buffer.from(body) }).events;
  } catch (error) {
    expect(error).toBeInstanceOf(AdapterError);
    expect((error as AdapterError).kind).toBe('invalid');
    return null;
  }
}

/** A Slack message with arbitrary fields. */
const event = fc.record(
  {
    type: fc.oneof(fc.constant('message'), fc.jsonValue()),
    channel: fc.oneof(fc.constant(IDS.channel), fc.jsonValue()),
    ts: fc.oneof(fc.constant('1.000002'), fc.jsonValue()),
    thread_ts: fc.oneof(fc.constant('1.000001'), fc.jsonValue()),
    user: fc.oneof(fc.constant(IDS.agent), fc.jsonValue()),
    subtype: fc.oneof(fc.constantFrom('file_share', 'bot_message'), fc.jsonValue()),
    text: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    files: fc.jsonValue(),
    blocks: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ type: fc.constant('rich_text'), elements: fc.jsonValue() })),
      fc.array(
        fc.record({
          type: fc.constant('rich_text'),
          elements: fc.array(
            fc.record({
              type: fc.constantFrom('rich_text_section', 'rich_text_list'),
              indent: fc.jsonValue(),
              elements: fc.array(
                fc.record({
                  type: fc.constantFrom('text', 'emoji', 'link', 'user', 'date'),
                  text: fc.jsonValue(),
                  unicode: fc.oneof(fc.string(), fc.jsonValue()),
                  elements: fc.jsonValue(),
                }),
              ),
            }),
          ),
        }),
      ),
    ),
  },
  { requiredKeys: [] },
);

describe('arbitrary input', () => {
  property([fc.jsonValue()])('as JSON is parsed or rejected as invalid', (value) => {
    parseResult(JSON.stringify(value));
  });

  property([fc.uint8Array({ maxLength: 200 })])('as bytes is parsed or rejected as invalid', (bytes) => {
    parseResult(Buffer.from(bytes));
    expect(adapter.verify(inbound({ headers: {}, body: '' }))).toBe('unsigned');
  });

  property([fc.jsonValue()])('as a form is parsed or rejected as invalid', (value) => {
    const payload = { type: 'block_actions', ...(value as object) };
    parseResult(`payload=${encodeURIComponent(JSON.stringify(payload))}`);
  });

  property([event, fc.jsonValue()])('as an event is parsed', (each, authorizations) => {
    const body = { ...envelope(each as never, 'Ev1'), authorizations };
    expect(parseResult(JSON.stringify(body))).toBeInstanceOf(Array);
  });

  property([fc.string(), fc.string()])('in headers gets a verdict', (time, signature) => {
    const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': signature };
    expect(adapter.verify(inbound({ headers, body: '{}' }))).not.toBe('genuine');
  });
});

/** Texts without prefix, mention or close word. */
const plainTexts = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .map((text) => `x ${text} y`.normalize())
  .filter((text) => !text.includes('://'));

describe('a text typed by an agent', () => {
  property([plainTexts])('reaches the user unchanged', (text) => {
    const [message] = adapter.parse(messageRequest({ ...typedMessage(text) })).events;
    expect((message as InboundMessage).text).toBe(text);
  });

  property([plainTexts])('reaches the user unchanged without blocks too', (text) => {
    const [message] = adapter.parse(messageRequest({ text: escaped(text) })).events;
    expect((message as InboundMessage).text).toBe(text);
  });

  property([fc.string({ unit: 'grapheme' })])('never reaches the user after the prefix', (text) => {
    const { events } = adapter.parse(messageRequest({ ...typedMessage(`//${text}`) }));
    expect(events).toMatchObject([{ kind: 'message', internal: true }]);
  });
});
