import { describe, expect, it } from 'vitest';
import { livechat } from '../../../src/adapters/livechat/index.js';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { FAKE_WEBHOOK_SECRET } from '../../fixtures/livechat/fake-livechat.js';
import { fakeSettings } from '../../fixtures/livechat/harness.js';
import { webhook } from './support.js';

const adapter = livechat(fakeSettings('https://livechat.test'));
const parse = (action: string, payload: object): readonly InboundEvent[] =>
  adapter.parse?.(webhook(action, payload)).events ?? [];
const incoming = (event: object) =>
  parse('incoming_event', {
    chat_id: 'C1',
    thread_id: 'T1',
    event: {
      id: 'E1',
      type: 'message',
      author_id: 'ada@example.com',
      text: 'Hello',
      visibility: 'all',
      ...event,
    },
  });

const CUSTOMER = 'b7eff798-f8df-4364-8059-649c35c9ed0c';
const BOT = '5c9871d5372c824cbf22d860a707a578';

describe('a webhook of LiveChat', () => {
  it('brings a reply', () => {
    expect(incoming({})).toEqual([
      {
        kind: 'message',
        id: 'event E1',
        externalId: 'C1/T1',
        author: { kind: 'agent', name: null },
        text: 'Hello',
        internal: false,
        messageId: 'E1',
      },
    ]);
  });

  it.each([
    ['the customer', { author_id: CUSTOMER }, 'self'],
    ['a bot', { author_id: BOT }, 'system'],
    ['LiveChat itself', { type: 'system_message', author_id: undefined }, 'system'],
    ['LiveChat in the name of an agent', { type: 'system_message' }, 'system'],
  ])('knows the author: %s', (_who, changes, kind) => {
    expect(incoming(changes)).toMatchObject([{ author: { kind } }]);
  });

  it.each([
    ['visible to agents', { visibility: 'agents' }, true],
    ['for agents, before version 3.5', { visibility: undefined, recipients: 'agents' }, true],
    ['for all, before version 3.5', { visibility: undefined, recipients: 'all' }, false],
    ['of unknown visibility', { visibility: undefined }, true],
  ])('tells whether a message is internal: %s', (_what, changes, internal) => {
    expect(incoming(changes)).toMatchObject([{ internal }]);
  });

  it('brings files, and cards as text', () => {
    const url = 'https://cdn.test/a.pdf';
    const file = { type: 'file', text: undefined, name: 'a.pdf', url, content_type: 'application/pdf' };
    expect(incoming(file)).toMatchObject([
      { text: '', attachments: [{ name: 'a.pdf', contentType: 'application/pdf', url }] },
    ]);
    const cards = { type: 'rich_message', text: undefined, elements: [{ title: 'One', subtitle: 'first' }] };
    expect(incoming(cards)).toMatchObject([{ text: 'One: first' }]);
    expect(incoming({ type: 'custom', text: undefined })).toEqual([]);
  });

  it('brings the end of a chat, with the one who ended it', () => {
    const ended = (user_id?: string) =>
      parse('chat_deactivated', { chat_id: 'C1', thread_id: 'T1', ...(user_id && { user_id }) });
    expect(ended('ada@example.com')).toMatchObject([
      { kind: 'closed', id: 'deactivated T1', externalId: 'C1/T1', author: { kind: 'agent' } },
    ]);
    expect(ended(CUSTOMER)).toMatchObject([{ author: { kind: 'self' } }]);
    expect(ended()).toMatchObject([{ kind: 'closed', author: { kind: 'system' } }]);
  });

  it('brings an agent who joins, with the name, and neither a bot nor the customer', () => {
    const joins = (id: string, user_type: string) =>
      parse('user_added_to_chat', { chat_id: 'C1', thread_id: 'T1', user: { id, name: 'Ada' }, user_type });
    expect(joins('ada@example.com', 'agent')).toMatchObject([
      { kind: 'joined', author: { kind: 'agent', name: 'Ada' } },
    ]);
    expect(joins(BOT, 'agent')).toEqual([]);
    expect(joins(CUSTOMER, 'customer')).toEqual([]);
  });

  it('has no effect if it is about something else', () => {
    expect(parse('incoming_chat', { chat: { id: 'C1' } })).toEqual([]);
  });

  it('is refused without the right secret key', () => {
    const rotating = livechat({ ...fakeSettings('https://livechat.test'), webhookSecret: ['old', 'new'] });
    const verify = (secret: string) => rotating.verify?.(webhook('incoming_event', {}, secret));
    expect(['old', 'new', FAKE_WEBHOOK_SECRET, ''].map(verify)).toEqual([
      'genuine',
      'genuine',
      'forged',
      'unsigned',
    ]);
    const broken = { ...webhook('incoming_event', {}), body: Buffer.from('{') };
    expect(rotating.verify?.(broken)).toBe('unsigned');
  });
});
