import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { requestTracker } from '../../../src/adapters/request-tracker/index.js';
import type { InboundRequest } from '../../../src/bridge/index.js';

const OLD = 'the old webhook secret';
const NEW = 'the new webhook secret';
const NOW = Date.parse('2026-03-01T12:00:00Z');

const adapter = requestTracker({
  url: 'https://rt.example.com/',
  token: `1-31-${'a'.repeat(32)}`,
  queue: 'Handoffs',
  webhookSecret: [OLD, NEW],
  closedStatuses: ['resolved', 'abandoned'],
});
const verify = (request: InboundRequest) => adapter.verify?.(request);
const events = (...transactions: object[]) => adapter.parse?.(signed({ transactions })).events;

function signed(
  body: object | string,
  { secret = OLD, at = NOW / 1_000 }: { secret?: string; at?: number | string } = {},
): InboundRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const hmac = createHmac('sha256', secret).update(`${at}.`).update(bytes).digest('hex');
  const headers = { 'x-handoff-kit-timestamp': String(at), 'x-handoff-kit-signature': `sha256=${hmac}` };
  return { method: 'POST', url: '/', headers, body: bytes, receivedAt: NOW };
}

const ada = { id: 40, login: 'ada', realName: 'Ada Agent', privileged: 1 };
const kit = { id: 31, login: 'handoff-kit', realName: 'Customer chat', privileged: 1 };
const system = { id: 1, login: 'RT_System', realName: 'The RT System itself', privileged: 0 };
const reply = (text: string, contentType = 'text/plain', creator: object = ada) => ({
  id: 7,
  ticket: 3,
  type: 'Correspond',
  creator,
  content: { contentType, text },
});

describe('the signature of the Scrip', () => {
  it('is genuine with any of the secrets', () => {
    expect(verify(signed({ transactions: [] }))).toBe('genuine');
    expect(verify(signed({ transactions: [] }, { secret: NEW }))).toBe('genuine');
  });

  it('is forged for another secret, body or time, and unsigned without one', () => {
    const request = signed({ transactions: [reply('yes')] });
    expect(verify(signed({ transactions: [] }, { secret: 'a wrong webhook secret' }))).toBe('forged');
    expect(verify({ ...request, body: Buffer.from(request.body.toString().replace('yes', 'no!')) })).toBe(
      'forged',
    );
    const later = { ...request.headers, 'x-handoff-kit-timestamp': String(NOW / 1_000 + 1) };
    expect(verify({ ...request, headers: later })).toBe('forged');
    const { 'x-handoff-kit-timestamp': _, ...timeless } = request.headers;
    expect(verify({ ...request, headers: timeless })).toBe('forged');
    expect(verify({ ...request, headers: {} })).toBe('unsigned');
    expect(verify(signed('{}', { at: 'soon' }))).toBe('forged');
  });

  it('is stale after five minutes', () => {
    expect(verify(signed({}, { at: NOW / 1_000 - 300 }))).toBe('genuine');
    expect(verify(signed({}, { at: NOW / 1_000 - 301 }))).toBe('stale');
    expect(verify(signed({}, { at: NOW / 1_000 + 301 }))).toBe('stale');
  });

  it('is never genuine when no secret is set', () => {
    const unset = requestTracker({
      url: 'https://rt.example.com',
      token: `1-31-${'a'.repeat(32)}`,
      queue: 'q',
    });
    expect(unset.capabilities.inbound).toEqual(['poll']);
    expect(unset.verify?.(signed({}, { secret: 'anything that one might try' }))).toBe('forged');
  });
});

describe('a request of the Scrip', () => {
  it('is a message of an agent, with the id of its transaction', () => {
    expect(events(reply('Hello\r\nyou '))).toEqual([
      {
        id: 'txn-7',
        externalId: '3',
        kind: 'message',
        author: { kind: 'agent', name: 'Ada Agent' },
        internal: false,
        text: 'Hello\nyou',
        messageId: '7',
      },
    ]);
  });

  it('is converted to plain text only when the content is HTML', () => {
    expect(events(reply('<p>1 &lt; 2</p>', 'text/html; charset="utf-8"'))).toMatchObject([{ text: '1 < 2' }]);
    expect(events(reply('<p>1 &lt; 2</p>'))).toMatchObject([{ text: '<p>1 &lt; 2</p>' }]);
  });

  it.each([
    ['our own account', kit, { kind: 'self', name: null }],
    ['RT itself', system, { kind: 'system', name: null }],
    ['an unprivileged user', { ...ada, privileged: 0 }, { kind: 'user', name: 'Ada Agent' }],
    ['an agent without a name for customers', { ...ada, realName: '' }, { kind: 'agent', name: null }],
  ])('has the right author: %s', (_who, creator, author) => {
    expect(events(reply('x', 'text/plain', creator))).toMatchObject([{ author }]);
  });

  it('is internal for a comment', () => {
    expect(events({ ...reply('among us'), type: 'Comment' })).toMatchObject([{ internal: true, text: '' }]);
  });

  it('is a close for a closed status', () => {
    const status = (name: string) => ({
      id: 8,
      ticket: 3,
      type: 'Status',
      creator: ada,
      status: name,
    });
    expect(events(reply('Bye'), status('resolved'))?.map(({ kind }) => kind)).toEqual(['message', 'closed']);
    expect(events(status('abandoned'))).toMatchObject([{ kind: 'closed', id: 'txn-8' }]);
    expect(events(status('open'))).toEqual([]);
  });

  it('is a join for a new owner', () => {
    const owner = (person: object) => ({
      id: 9,
      ticket: 3,
      type: 'Owner',
      creator: kit,
      owner: person,
    });
    expect(events(owner(ada))).toMatchObject([
      { kind: 'joined', author: { kind: 'agent', name: 'Ada Agent' } },
    ]);
    expect(events(owner({ ...ada, id: 6, login: 'Nobody' }))).toEqual([]);
    expect(events(owner(kit))).toEqual([]);
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"transactions":[]}',
    '{"transactions":[{}]}',
    '{"transactions":[{"id":"x"}]}',
    '{"transactions":7}',
  ])('is rejected when unreadable: %s', (body) => {
    expect(() => adapter.parse?.(signed(body))).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
