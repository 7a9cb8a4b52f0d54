import { describe, expect, it } from 'vitest';
import type { Adapter, PollResult } from '../../../src/bridge/index.js';
import { type FakeTransaction, fakeRt } from './fake-rt.js';
import { call } from './support.js';

const OLD = { ageMs: 60_000 };

const poll = async (adapter: Adapter, cursor: string | null): Promise<PollResult> => {
  const polled = await adapter.poll?.(cursor, call);
  if (!polled) throw new Error('the adapter does not poll');
  return polled;
};
const ids = ({ events }: PollResult) => events.map(({ id }) => id);

describe('polling', () => {
  it('starts with the current position', async () => {
    const { adapter } = await fakeRt(() => [
      { id: 5, type: 'Correspond' },
      { id: 9, type: 'Status', value: 'open' },
    ]);
    expect(await poll(adapter, null)).toEqual({ events: [], cursor: '9' });
    const empty = await fakeRt(() => []);
    expect(await poll(empty.adapter, null)).toEqual({ events: [], cursor: '0' });
  });

  it('returns later events in order, and continues after them', async () => {
    const { adapter } = await fakeRt(() => [
      { id: 11, type: 'Correspond', text: 'Hello 😀', ...OLD },
      { id: 12, type: 'Set', value: '40', ...OLD },
      { id: 13, type: 'Status', value: 'open', ...OLD },
      { id: 14, type: 'Status', value: 'resolved', ...OLD },
    ]);
    const author = { kind: 'agent', name: 'Ada Agent' };
    const first = await poll(adapter, '10');
    expect(first).toEqual({
      cursor: '14',
      events: [
        {
          id: 'txn-11',
          externalId: '3',
          kind: 'message',
          author,
          internal: false,
          text: 'Hello 😀',
          messageId: '11',
        },
        { id: 'txn-12', externalId: '3', kind: 'joined', author },
        { id: 'txn-14', externalId: '3', kind: 'closed', author },
      ],
    });
    expect(await poll(adapter, first.cursor)).toEqual({ events: [], cursor: '14' });
  });

  it('does not skip a transaction that appears late with a lower id', async () => {
    const shown: FakeTransaction[] = [
      { id: 20, type: 'Correspond', text: 'settled', ...OLD },
      { id: 22, type: 'Correspond', text: 'young' },
    ];
    const { adapter, asked } = await fakeRt(() => shown);
    const first = await poll(adapter, '10');
    expect(ids(first)).toEqual(['txn-20', 'txn-22']);
    expect(first.cursor).toBe('20');
    shown.push({ id: 21, type: 'Correspond', text: 'late' });
    expect(ids(await poll(adapter, first.cursor))).toEqual(['txn-21', 'txn-22']);
    expect(asked.filter((path) => path === '/attachment/22')).toHaveLength(1);
  });

  it('reads all pages', async () => {
    const many = Array.from(
      { length: 120 },
      (_, index): FakeTransaction => ({
        id: 100 + index,
        type: 'Status',
        value: 'resolved',
        ...OLD,
      }),
    );
    const { adapter } = await fakeRt(() => many);
    const polled = await poll(adapter, '10');
    expect(polled.events).toHaveLength(120);
    expect(polled.cursor).toBe('219');
  });

  it('is not blocked by unreadable content', async () => {
    const { adapter } = await fakeRt(
      () => [
        { id: 30, type: 'Correspond', text: 'a letter as long as a book', ...OLD },
        { id: 31, type: 'Correspond', text: 'a short one', ...OLD },
      ],
      (path) => (path === '/attachment/30' ? { status: 200, body: `"${'x'.repeat(1_100_000)}"` } : null),
    );
    const { events, cursor } = await poll(adapter, '10');
    expect(events.map((event) => event.kind === 'message' && event.text)).toEqual(['', 'a short one']);
    expect(cursor).toBe('31');
  });

  it('does not advance when RT fails halfway', async () => {
    const { adapter } = await fakeRt(
      () => [{ id: 40, type: 'Correspond', text: 'x', ...OLD }],
      (path) => (path === '/attachment/40' ? { status: 500 } : null),
    );
    await expect(poll(adapter, '10')).rejects.toMatchObject({ kind: 'transient' });
  });

  it('rejects a foreign cursor', async () => {
    const { adapter } = await fakeRt(() => []);
    await expect(poll(adapter, '1 OR id > 0')).rejects.toMatchObject({ kind: 'invalid' });
  });
});
