import { describe, expect, it } from 'vitest';
import type { ChatwootSettings } from '../../../src/adapters/chatwoot/index.js';
import { createAdapter } from './support.js';

describe('settings of the Chatwoot adapter', () => {
  it.each<[string, Partial<ChatwootSettings>, RegExp]>([
    ['an address that is none', { url: 'chat.example.com' }, /begins with http/],
    [
      'a password in the address',
      { url: 'https://me:hidden@chat.example.com' },
      /leave user and password out/,
    ],
    ['no inbox', { inbox: '' }, /Inbox Identifier/],
    ['a path for an inbox', { inbox: '../accounts/1' }, /Inbox Identifier/],
    ['an empty secret', { webhookSecret: ' ' }, /webhook secret is empty/],
    ['no secret', { webhookSecret: [] }, /webhook secret is empty/],
    ['one empty secret among others', { webhookSecret: ['hidden', ''] }, /webhook secret is empty/],
  ])('refuse %s', (_, settings, message) => {
    const make = () => createAdapter(settings);
    expect(make).toThrow(message);
    expect(make).not.toThrow(/hidden/);
  });

  it('determine the capabilities', () => {
    expect(createAdapter().capabilities).toEqual({
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: 50_000,
      unordered: true,
      marksFailedWebhooks: true,
      rate: {
        overall: { count: 3000, perMs: 60_000 },
        perConversation: { count: 200, perMs: 60_000 },
      },
    });
  });
});
