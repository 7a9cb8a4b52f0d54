import { describe, expect, it } from 'vitest';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { createAdapter, NOW, webhook } from './support.js';

const adapter = createAdapter();
const ADA = { id: 3, name: 'Ada', email: 'ada@example.com', type: 'user' };

/** A message as a webhook carries it. */
const message = (change: object = {}): Record<string, unknown> => ({
  event: 'message_created',
  account: { id: 7, name: 'Acme' },
  additional_attributes: {},
  content_attributes: {},
  content_type: 'text',
  content: 'Hello',
  conversation: { id: 42, status: 'open' },
  created_at: new Date(NOW).toISOString(),
  id: 1005,
  inbox: { id: 31, name: 'Assistant' },
  message_type: 'outgoing',
  private: false,
  sender: ADA,
  source_id: null,
  ...change,
});

const eventsOf = (payload: object): readonly InboundEvent[] => adapter.parse(webhook(payload)).events;

describe('a message in Chatwoot', () => {
  it('has its conversation, its author and its ids', () => {
    expect(eventsOf(message())).toEqual([
      {
        kind: 'message',
        id: 'message 1005',
        externalId: '42',
        author: { kind: 'agent', name: 'Ada' },
        text: 'Hello',
        internal: false,
        messageId: '1005',
      },
    ]);
  });

  it.each<[string, object, { kind: string; name: string | null }]>([
    ['an agent', {}, { kind: 'agent', name: 'Ada' }],
    ['an agent without a name', { sender: { id: 3, type: 'user' } }, { kind: 'agent', name: null }],
    ['us', { message_type: 'incoming', sender: { id: 9, name: 'u1' } }, { kind: 'self', name: null }],
    ['a bot', { sender: { id: 4, name: 'Bot', type: 'agent_bot' } }, { kind: 'system', name: 'Bot' }],
    [
      'the AI',
      { sender: { name: 'Captain', type: 'captain_assistant' } },
      { kind: 'system', name: 'Captain' },
    ],
    ['a rule', { content_attributes: { automation_rule_id: 1 } }, { kind: 'system', name: 'Ada' }],
    ['a campaign', { additional_attributes: { campaign_id: 1 } }, { kind: 'system', name: 'Ada' }],
    ['a greeting', { message_type: 'template', sender: null }, { kind: 'system', name: null }],
    [
      'someone in Slack, through the integration of Chatwoot',
      {
        sender: null,
        additional_attributes: { sender_name: 'Grace', sender_avatar_url: 'https://s.test/g' },
      },
      { kind: 'agent', name: 'Grace' },
    ],
    [
      'a bot with a name of its own',
      { sender: { id: 4, name: 'Bot', type: 'agent_bot' }, additional_attributes: { sender_name: 'Grace' } },
      { kind: 'system', name: 'Bot' },
    ],
    ['a missing sender', { sender: null }, { kind: 'system', name: null }],
    ['a type that is new', { message_type: 'dream' }, { kind: 'system', name: 'Ada' }],
  ])('has as author %s', (_, change, author) => {
    expect(eventsOf(message(change))).toMatchObject([{ author }]);
  });

  it.each([
    ['true', true],
    ['missing', undefined],
    ['something else', 'no'],
  ])('is internal when private is %s', (_, value) => {
    expect(eventsOf(message({ private: value }))).toMatchObject([{ internal: true }]);
  });

  it.each<[string, object, string]>([
    [
      'a place',
      {
        attachments: [
          { file_type: 'location', coordinates_lat: 52.5, coordinates_long: 13.4, fallback_title: 'Office' },
        ],
      },
      'Office: 52.5, 13.4',
    ],
    ['a contact', { attachments: [{ file_type: 'contact', fallback_title: '+49 30 1' }] }, '+49 30 1'],
    [
      'an article',
      { content_attributes: { items: [{ title: 'Returns', link: 'https://c.test/r' }] } },
      'Returns: https://c.test/r',
    ],
  ])('has %s as text', (_, change, line) => {
    expect(eventsOf(message({ content: null, ...change }))).toMatchObject([{ text: line }]);
    expect(eventsOf(message(change))).toMatchObject([{ text: `Hello\n${line}` }]);
  });

  it.each<[string, object, object]>([
    [
      'its name from its link',
      { file_type: 'image', content_type: 'image/png', data_url: 'https://c.test/blobs/x/a%20b.png?v=1' },
      { name: 'a b.png', contentType: 'image/png', url: 'https://c.test/blobs/x/a%20b.png?v=1' },
    ],
    [
      'a name although its link has none',
      { file_type: 'file', data_url: 'https://c.test' },
      { name: 'file', contentType: null, url: 'https://c.test' },
    ],
    [
      'its link although it cannot be decoded',
      { file_type: 'audio', data_url: 'https://c.test/%E0%A4%A' },
      { name: '%E0%A4%A', contentType: null, url: 'https://c.test/%E0%A4%A' },
    ],
  ])('has files: %s', (_, file, attachment) => {
    const found = { attachments: [attachment] };
    expect(eventsOf(message({ content: null, attachments: [file] }))).toMatchObject([{ text: '', ...found }]);
    expect(eventsOf(message({ attachments: [file] }))).toMatchObject([{ text: 'Hello', ...found }]);
  });

  it.each([
    ['no content', { content: null }],
    ['blanks only', { content: ' \n ' }],
    ['attachments of another shape', { content: null, attachments: [null, 7, {}] }],
  ])('with %s is no event', (_, change) => {
    expect(eventsOf(message(change))).toEqual([]);
  });

  it('keeps our own text unchanged', () => {
    const own = { message_type: 'incoming', content: ' **not** markup ' };
    expect(eventsOf(message(own))).toMatchObject([{ text: ' **not** markup ' }]);
  });
});

describe('an update of a message', () => {
  const update = (change: object = {}) => eventsOf(message({ event: 'message_updated', ...change }));

  it('counts as the message, which may have been lost', () => {
    expect(update()).toEqual(eventsOf(message()));
  });

  it.each([
    ['a deleted one', { content_attributes: { deleted: true } }],
    ['our own', { message_type: 'incoming' }],
    ['a survey that was answered', { message_type: 'template' }],
    ['one of two days ago', { created_at: new Date(NOW - 2 * 86_400_000).toISOString() }],
    ['one without its time', { created_at: null }],
  ])('is no event for %s', (_, change) => {
    expect(update(change)).toEqual([]);
  });
});
