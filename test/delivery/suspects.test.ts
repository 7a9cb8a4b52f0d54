import { expect, it, onTestFinished, vi } from 'vitest';
import { type ClaimedJob, MAX_CRASHES, SUSPECT_CRASHES } from '../../src/delivery/queue.js';
import { createSuspects, isSuspect } from '../../src/delivery/suspects.js';

const WAIT_MS = 1_000;

it('a suspect waits twice as long after each crash of it alone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const startedAt = performance.now();
  const ran: (readonly [crashes: number, afterMs: number])[] = [];
  const suspects = createSuspects({
    waitMs: WAIT_MS,
    pause: async () => {},
    run: async ({ crashes }) => void ran.push([crashes, performance.now() - startedAt]),
    resume: () => {},
  });
  for (let crashes = MAX_CRASHES; crashes >= 0; crashes -= 1) {
    const job = { crashes } as ClaimedJob;
    if (isSuspect(job)) suspects.add(job);
  }
  await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
  expect(ran).toEqual([
    [SUSPECT_CRASHES, WAIT_MS],
    [SUSPECT_CRASHES + 1, 2 * WAIT_MS],
    [SUSPECT_CRASHES + 2, 4 * WAIT_MS],
  ]);
});
