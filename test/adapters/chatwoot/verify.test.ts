import { describe, expect, it } from 'vitest';
import type { InboundRequest } from '../../../src/bridge/index.js';
import { createAdapter, NOW, webhook } from './support.js';

const MINUTE = 60_000;
const genuine = webhook({ event: 'message_created', id: 1 });

const withHeader = (name: string, value: string | undefined): InboundRequest => ({
  ...genuine,
  headers: { ...genuine.headers, [name]: value },
});

describe('verify', () => {
  const adapter = createAdapter();

  it.each<[string, InboundRequest, string]>([
    ['a webhook as it came', genuine, 'genuine'],
    ['one of four minutes ago', webhook({}, { at: NOW - 4 * MINUTE }), 'genuine'],
    ['one of six minutes ago', webhook({}, { at: NOW - 6 * MINUTE }), 'stale'],
    ['one from six minutes ahead', webhook({}, { at: NOW + 6 * MINUTE }), 'stale'],
    ['another secret', webhook({}, { secret: 'a wrong secret' }), 'forged'],
    ['another body', { ...genuine, body: Buffer.from('{}') }, 'forged'],
    ['another time', withHeader('x-chatwoot-timestamp', String(NOW / 1000 + 1)), 'forged'],
    ['a time that is none', withHeader('x-chatwoot-timestamp', 'today'), 'forged'],
    ['no signature', withHeader('x-chatwoot-signature', undefined), 'unsigned'],
    ['an empty signature', withHeader('x-chatwoot-signature', ''), 'unsigned'],
    ['no time', withHeader('x-chatwoot-timestamp', undefined), 'unsigned'],
    ['a signature without its kind', withHeader('x-chatwoot-signature', 'ab'.repeat(32)), 'forged'],
    ['a signature of another kind', withHeader('x-chatwoot-signature', `sha1=${'ab'.repeat(20)}`), 'forged'],
    [
      'two signatures',
      withHeader('x-chatwoot-signature', `${genuine.headers['x-chatwoot-signature']}, sha256=00`),
      'forged',
    ],
  ])('verifies %s', (_, request, verdict) => {
    expect(adapter.verify(request)).toBe(verdict);
  });

  it('accepts any of several secrets', () => {
    const both = createAdapter({ webhookSecret: ['the old one', 'the new one'] });
    expect(both.verify(webhook({}, { secret: 'the old one' }))).toBe('genuine');
    expect(both.verify(webhook({}, { secret: 'the new one' }))).toBe('genuine');
    expect(both.verify(webhook({}, { secret: 'neither' }))).toBe('forged');
  });
});
