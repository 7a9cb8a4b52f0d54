import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClaimedJob, MAX_CRASHES, SUSPECT_CRASHES } from '../../src/delivery/queue.js';
import { createSuspects, isSuspect } from '../../src/delivery/suspects.js';
import { deferred } from '../helpers/deferred.js';

const WAIT_MS = 1_000;

const suspect = (id: string): ClaimedJob => ({ id, crashes: SUSPECT_CRASHES }) as ClaimedJob;

describe('a suspect', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it('waits twice as long after each crash of it alone, while others run', async () => {
    const startedAt = performance.now();
    const ran: (readonly [crashes: number, afterMs: number])[] = [];
    const pause = vi.fn(async () => {});
    const suspects = createSuspects({
      waitMs: WAIT_MS,
      pause,
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
    expect(pause).toHaveBeenCalledTimes(3);
  });

  it('waits for the one that runs, and others for both', async () => {
    const steps: string[] = [];
    const ends: Record<string, () => void> = {};
    const suspects = createSuspects({
      waitMs: WAIT_MS,
      pause: async () => void steps.push('pause'),
      async run({ id }) {
        steps.push(`begin ${id}`);
        const { promise, resolve } = deferred();
        ends[id] = resolve;
        await promise;
        steps.push(`end ${id}`);
      },
      resume: () => void steps.push('resume'),
    });
    suspects.add(suspect('a'));
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    suspects.add(suspect('b'));
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(steps).toEqual(['pause', 'begin a']);
    ends.a?.();
    await vi.advanceTimersByTimeAsync(0);
    ends.b?.();
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(steps).toEqual(['pause', 'begin a', 'end a', 'begin b', 'end b', 'resume']);
  });

  it('does not run once its process stops, and is given back', async () => {
    const run = vi.fn(async () => {});
    const suspects = createSuspects({ waitMs: WAIT_MS, pause: async () => {}, run, resume: () => {} });
    const job = suspect('a');
    suspects.add(job);
    expect(suspects.stop()).toEqual([job]);
    expect(suspects.stop()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * WAIT_MS);
    expect(run).not.toHaveBeenCalled();
  });
});
