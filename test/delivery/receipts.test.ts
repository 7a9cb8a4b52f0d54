import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReceipts } from '../../src/delivery/outbox/receipts.js';
import type { JobStatus } from '../../src/delivery/queue.js';

const POLL_MS = 1_000;

/** Receipts on a queue whose jobs have these states; any other waits. */
function setUp(states: Record<string, JobStatus> = {}) {
  const lookups: number[] = [];
  const listeners = new Set<() => void>();
  const receipts = createReceipts({
    pollMs: POLL_MS,
    statusOf: async (ids) => {
      lookups.push(ids.length);
      return ids.map((id) => states[id] ?? { state: 'waiting' });
    },
    sql: {
      subscribe: (_topic, listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    onError: (error) => {
      throw error;
    },
  });
  const publish = (): void => {
    for (const listener of listeners) listener();
  };
  return { receipts, states, lookups, publish, listeners };
}

describe('receipts of stored replies', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('cost nothing until delivered() is called', async () => {
    const { receipts, lookups, publish, listeners } = setUp();
    for (let id = 0; id < 2_000; id += 1) receipts.open(String(id), 'c');
    for (let id = 0; id < 2_000; id += 1) {
      receipts.delivered(String(id), null);
      publish();
    }
    await vi.advanceTimersByTimeAsync(10 * POLL_MS);
    expect({ lookups, listeners: listeners.size, timers: vi.getTimerCount() }).toEqual({
      lookups: [],
      listeners: 0,
      timers: 0,
    });
  });

  it('resolve to the answer if this process sends the reply', async () => {
    const { receipts } = setUp();
    const delivered = receipts.open('1', 'c').delivered();
    receipts.delivered('1', { code: 0 });
    expect(await delivered).toEqual({ code: 0 });
  });

  it('resolve if the reply was sent before', async () => {
    const { receipts } = setUp({ 1: { state: 'done' } });
    const delivered = receipts.open('1', 'c').delivered();
    await vi.advanceTimersByTimeAsync(1);
    expect(await delivered).toBeNull();
  });

  it('are looked up together, and rarely while many replies are sent', async () => {
    const { receipts, states, lookups, publish } = setUp();
    const all = Array.from({ length: 300 }, (_, id) => receipts.open(String(id), 'c').delivered());
    await vi.advanceTimersByTimeAsync(1);
    expect(lookups).toEqual([300]);
    for (let id = 0; id < 300; id += 1) {
      states[id] = { state: 'done' };
      publish();
    }
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(await Promise.all(all)).toHaveLength(300);
    expect(lookups).toEqual([300, 300]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reject when the receiver is closed, and are looked up no more', async () => {
    const { receipts, lookups, listeners } = setUp();
    const stopped = { code: 'DELIVERY_STOPPED' };
    const before = expect(receipts.open('1', 'c').delivered()).rejects.toMatchObject(stopped);
    await vi.advanceTimersByTimeAsync(POLL_MS - 1);
    // The timer fires, and its lookup is under way.
    vi.advanceTimersByTime(1);
    receipts.stop();
    await before;
    await expect(receipts.open('2', 'c').delivered()).rejects.toMatchObject(stopped);
    await vi.advanceTimersByTimeAsync(10 * POLL_MS);
    expect({ lookups, listeners: listeners.size, timers: vi.getTimerCount() }).toEqual({
      lookups: [1, 1],
      listeners: 0,
      timers: 0,
    });
  });

  it('learn of a reply that another process sends, without a signal', async () => {
    const { receipts, states } = setUp();
    const delivered = receipts.open('1', 'c').delivered();
    await vi.advanceTimersByTimeAsync(POLL_MS);
    states[1] = { state: 'dead', error: 'HTTP 400' };
    const outcome = expect(delivered).rejects.toMatchObject({ code: 'REPLY_FAILED' });
    await vi.advanceTimersByTimeAsync(POLL_MS);
    await outcome;
  });
});
