import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdapterError, type InboundEvent } from '../../../src/bridge/index.js';
import { property } from '../../helpers/property.js';
import { createAdapter, NOW, webhook } from './support.js';

const adapter = createAdapter();
const eventsOf = (payload: object): readonly InboundEvent[] => adapter.parse(webhook(payload)).events;

/** A conversation as a webhook carries it. */
const conversation = (event: string, change: object = {}): object => ({
  event,
  id: 42,
  status: 'open',
  messages: [],
  meta: { assignee: { id: 3, name: 'Ada', type: 'user' }, assignee_type: 'User' },
  updated_at: 1777636800.123456,
  ...change,
});

const resolved = (change: object = {}) =>
  eventsOf(conversation('conversation_status_changed', { status: 'resolved', ...change }));

describe('a resolved conversation', () => {
  const closed = {
    kind: 'closed',
    id: 'resolved 42 1777636800.123456',
    externalId: '42',
    author: { kind: 'agent', name: 'Ada' },
  };
  const reply = {
    id: 1005,
    content: 'All done',
    message_type: 1,
    private: false,
    created_at: NOW / 1000 - 1,
    content_attributes: {},
    additional_attributes: {},
    sender: { name: 'Ada', type: 'user' },
  };

  it('is a close', () => {
    expect(resolved()).toEqual([closed]);
  });

  it('reports its last reply before the close', () => {
    const events = resolved({ messages: [reply] });
    expect(events).toMatchObject([
      { id: 'message 1005', text: 'All done', author: { kind: 'agent' } },
      closed,
    ]);
  });

  it.each([
    ['our own message', { message_type: 0 }],
    ['a survey', { message_type: 3 }],
    ['a reply of last week', { created_at: NOW / 1000 - 7 * 86_400 }],
    ['a deleted reply', { content_attributes: { deleted: true } }],
    ['something without an id', { id: undefined }],
  ])('does not repeat %s', (_, change) => {
    expect(resolved({ messages: [{ ...reply, ...change }] })).toEqual([closed]);
  });

  it('has the same id in both deliveries, and another one the next time', () => {
    expect(resolved()[0]?.id).toBe(resolved()[0]?.id);
    expect(resolved({ updated_at: 1777636801.5 })[0]?.id).not.toBe(resolved()[0]?.id);
    const untimed = resolved({ updated_at: undefined })[0]?.id;
    expect(untimed).toBe(resolved({ updated_at: undefined })[0]?.id);
    expect(untimed).not.toBe(resolved({ updated_at: undefined, priority: 'high' })[0]?.id);
  });

  it.each(['open', 'pending', 'snoozed', undefined])('is not a close when its status is %s', (status) => {
    expect(resolved({ status })).toEqual([]);
  });
});

describe('an assigned conversation', () => {
  const assigned = (change: object = {}) =>
    eventsOf(
      conversation('conversation_updated', {
        changed_attributes: [{ assignee_id: { previous_value: null, current_value: 3 } }],
        ...change,
      }),
    );

  it('is a join of the agent', () => {
    expect(assigned()).toEqual([
      {
        kind: 'joined',
        id: 'assigned 42 1777636800.123456',
        externalId: '42',
        author: { kind: 'agent', name: 'Ada' },
      },
    ]);
  });

  it.each<[string, object]>([
    [
      'another change',
      { changed_attributes: [{ status: { previous_value: 'open', current_value: 'resolved' } }] },
    ],
    [
      'an agent who leaves',
      { changed_attributes: [{ assignee_id: { previous_value: 3, current_value: null } }] },
    ],
    ['a bot', { meta: { assignee: { name: 'Bot', type: 'agent_bot' } } }],
    ['no changes', { changed_attributes: null }],
  ])('is no join: %s', (_, change) => {
    expect(assigned(change)).toEqual([]);
  });
});

describe('unreadable webhooks', () => {
  it.each(['conversation_typing_on', 'contact_created', 'constructor', '__proto__', 7, null, undefined])(
    'is nothing when the event is %s',
    (event) => {
      expect(eventsOf({ event, id: 1 })).toEqual([]);
    },
  );

  it.each<[string, string | object]>([
    ['no JSON', 'Where is my parcel?'],
    ['a message without an id', { event: 'message_created', conversation: { id: 1 } }],
    ['a message without a conversation', { event: 'message_created', id: 1 }],
    [
      'a conversation without an id',
      conversation('conversation_status_changed', { id: null, status: 'resolved' }),
    ],
    ['an id that is none', conversation('conversation_status_changed', { id: '../1', status: 'resolved' })],
  ])('is invalid: %s', (_, body) => {
    const read = () => adapter.parse(webhook(body));
    expect(read).toThrow(AdapterError);
    expect(read).toThrow(expect.objectContaining({ kind: 'invalid' }));
    expect(read).not.toThrow(/parcel/);
  });

  const EVENTS = [
    'message_created',
    'message_updated',
    'conversation_status_changed',
    'conversation_updated',
  ];

  property([fc.constantFrom(...EVENTS), fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()])(
    'never fails in another way, whatever comes',
    (event, fields, value) => {
      const odd = {
        ...conversation(event),
        ...fields,
        event,
        status: 'resolved',
        messages: value,
        meta: value,
      };
      for (const body of [odd, { ...odd, conversation: value, id: value }, JSON.stringify(value)]) {
        try {
          expect(Array.isArray(adapter.parse(webhook(body)).events)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AdapterError);
        }
      }
    },
  );
});
