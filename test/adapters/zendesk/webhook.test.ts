import { describe, expect, it } from 'vitest';
import { zendesk } from '../../../src/adapters/zendesk/index.js';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { AGENTS } from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';
import { webhook } from './support.js';

const adapter = zendesk(fakeSettings('https://example.zendesk.com/sc'));
const parse = (...events: object[]): readonly InboundEvent[] =>
  adapter.parse?.(webhook({ app: { id: 'a' }, webhook: { id: 'w', version: 'v2' }, events })).events ?? [];

const MESSAGE = {
  id: 'm1',
  author: { type: 'business', displayName: 'Ada' },
  content: { type: 'text', text: 'Hello' },
  metadata: { '__zendesk_msg.agent.id': '7' },
};
const messageEvent = (changes: object = {}) => ({
  id: 'e1',
  type: 'conversation:message',
  payload: { conversation: { id: 'c1' }, message: { ...MESSAGE, ...changes } },
});
const controlEvent = (action: 'pass' | 'release', name?: string) => ({
  id: 'e2',
  type: `switchboard:${action}Control`,
  payload: { conversation: { id: 'c1', ...(name && { activeSwitchboardIntegration: { name } }) } },
});

describe('a webhook of Zendesk', () => {
  it('brings a reply with its author, whose id is that of the message', () => {
    expect(parse(messageEvent())).toEqual([
      {
        kind: 'message',
        id: 'message m1',
        externalId: 'c1',
        author: { kind: 'agent', name: 'Ada' },
        text: 'Hello',
        internal: false,
        messageId: 'm1',
      },
    ]);
  });

  it.each([
    ['a bot', { metadata: undefined }, 'system'],
    ['a trigger', { metadata: {}, author: { type: 'business' } }, 'system'],
    ['the user', { author: { type: 'user', userId: 'u' } }, 'self'],
    ['somebody new', { author: { type: 'robot' } }, 'system'],
  ])('knows the author: %s', (_who, changes, kind) => {
    expect(parse(messageEvent(changes))).toMatchObject([{ author: { kind } }]);
  });

  it.each([
    [
      'links',
      { type: 'text', text: 'Read', actions: [{ type: 'link', text: 'FAQ', uri: 'https://a.test' }] },
      'Read\nFAQ: https://a.test',
    ],
    [
      'a list',
      { type: 'list', items: [{ title: 'One', description: 'first' }, { title: 'Two' }] },
      'One: first\nTwo',
    ],
    ['items of another form', { type: 'form', text: 'Fill in', items: 'none', actions: [1] }, 'Fill in'],
  ])('brings %s as text', (_what, content, text) => {
    expect(parse(messageEvent({ content }))).toMatchObject([{ text }]);
  });

  it('brings files and images, with and without a text', () => {
    const file = {
      type: 'file',
      mediaUrl: 'https://a.test/a.pdf',
      altText: 'a.pdf',
      mediaType: 'application/pdf',
    };
    expect(parse(messageEvent({ content: file }))).toMatchObject([
      {
        text: '',
        attachments: [{ name: 'a.pdf', contentType: 'application/pdf', url: 'https://a.test/a.pdf' }],
      },
    ]);
    const image = { type: 'image', mediaUrl: 'https://a.test/i', text: 'See' };
    expect(parse(messageEvent({ content: image }))).toMatchObject([
      { text: 'See', attachments: [{ name: 'file', contentType: null, url: 'https://a.test/i' }] },
    ]);
  });

  it('ends a conversation when the agents release it, or pass it on', () => {
    expect(parse(controlEvent('release'))).toMatchObject([
      { kind: 'closed', id: 'event e2', externalId: 'c1' },
    ]);
    expect(parse(controlEvent('pass', 'zd-answerBot'))).toMatchObject([{ kind: 'closed' }]);
    expect(parse(controlEvent('pass', AGENTS))).toEqual([]);
  });

  it('keeps the order of its events, and ignores others', () => {
    const other = { id: 'e0', type: 'conversation:typing', payload: {} };
    expect(parse(other, messageEvent(), controlEvent('release')).map(({ kind }) => kind)).toEqual([
      'message',
      'closed',
    ]);
    expect(parse(messageEvent({ deleted: true }))).toEqual([]);
  });

  it('is refused without the right secret', () => {
    const verify = (secret: string) => adapter.verify?.(webhook({}, secret));
    expect([verify(fakeSettings('').webhookSecret), verify('other'), verify('')]).toEqual([
      'genuine',
      'forged',
      'unsigned',
    ]);
  });
});
