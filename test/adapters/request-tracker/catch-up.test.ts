import { describe, expect, it } from 'vitest';
import type { ConversationRef } from '../../../src/bridge/index.js';
import { fakeRt } from './fake-rt.js';
import { call } from './support.js';

const REF: ConversationRef = {
  conversationId: 'handoff-1',
  bot: 'default',
  externalId: '3',
  url: null,
  extra: {},
  user: { key: 'user:ada', userId: 'ada', anonymousId: null, email: null, phone: null },
};
const MINUTE_MS = 60_000;

describe('catchUp', () => {
  it('lists the transactions of the ticket since a time, with the ids of webhooks and polls', async () => {
    const { adapter } = await fakeRt(() => [
      { id: 11, type: 'Correspond', text: 'long ago', ageMs: 10 * MINUTE_MS },
      { id: 12, type: 'Correspond', text: 'one', ageMs: MINUTE_MS },
      { id: 13, type: 'Correspond', text: 'two' },
      { id: 14, type: 'Status', value: 'resolved' },
    ]);
    expect(await adapter.catchUp?.(REF, new Date(Date.now() - 5 * MINUTE_MS), call)).toMatchObject([
      { kind: 'message', id: 'txn-12', externalId: '3', text: 'one' },
      { kind: 'message', id: 'txn-13', text: 'two' },
      { kind: 'closed', id: 'txn-14' },
    ]);
  });

  it('reads all pages', async () => {
    const transactions = Array.from({ length: 120 }, (_value, index) => ({
      id: index + 1,
      type: 'Correspond' as const,
      text: `Reply ${index + 1}`,
    }));
    const { adapter } = await fakeRt(() => transactions);
    const listed = await adapter.catchUp?.(REF, new Date(0), call);
    expect(listed?.map(({ id }) => id)).toEqual(transactions.map(({ id }) => `txn-${id}`));
  });
});

describe('undelivered', () => {
  it('adds a comment to the ticket', async () => {
    const { adapter, asked } = await fakeRt(() => []);
    const reason = { kind: 'ended', text: 'The conversation had ended.' } as const;
    await adapter.undelivered?.(REF, { messageId: '11', text: 'Hello' }, reason, call);
    expect(asked).toEqual(['/ticket/3/comment']);
  });
});
