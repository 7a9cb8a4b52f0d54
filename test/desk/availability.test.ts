import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAvailability } from '../../src/desk/server/assignment/availability.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { silentLog } from '../../src/internal/index.js';

const ANN = { id: 'ann', name: 'Ann', role: 'agent' } as const;

/** Two processes on one store. */
function twoProcesses() {
  const store = createMemoryDocumentStore();
  return { store, left: createAvailability(store, silentLog), right: createAvailability(store, silentLog) };
}

describe('availability', () => {
  afterEach(() => void vi.useRealTimers());

  it('is known at every process, and ends when the last page is closed', async () => {
    vi.useFakeTimers();
    const { left, right } = twoProcesses();
    const closeOne = left.connect('ann');
    const closeOther = left.connect('ann');
    await vi.advanceTimersByTimeAsync(0);
    expect(await right.read()).toEqual([{ agent: 'ann', isAway: false }]);
    await right.setAway(ANN, true);
    expect(await left.read()).toEqual([{ agent: 'ann', isAway: true }]);
    closeOne();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await right.read()).toHaveLength(1);
    closeOther();
    // A page that is loaded again comes back.
    await vi.advanceTimersByTimeAsync(5_000);
    const close = left.connect('ann');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await right.read()).toHaveLength(1);
    close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await right.read()).toEqual([]);
    left.stop();
    right.stop();
  });

  it('ends with a process that died, whatever its clock said', async () => {
    vi.useFakeTimers();
    const { store, left } = twoProcesses();
    const say = (id: string, version: number, at: number) =>
      store.write({ put: [{ kind: 'connection', id, value: { agents: [id], at }, version }] });
    await say('late', 0, Date.now() - 120_000);
    await say('early', 0, Date.now() + 120_000);
    await say('long-ago', 0, Date.now() - 3_600_000);
    const present = async () => (await left.read()).map(({ agent }) => agent);
    expect(await present()).toEqual(['early', 'late']);
    await vi.advanceTimersByTimeAsync(20_000);
    await say('late', 1, Date.now() - 120_000);
    expect(await present()).toEqual(['early', 'late']);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await present()).toEqual(['late']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await present()).toEqual([]);
    left.stop();
  });
});
