import { describe, expect, test } from 'vitest';
import { sleepUnlessAborted, systemClock } from '../../src/client/clock.js';

const HOUR = 3_600_000;

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the system clock', () => {
  test.each([
    ['in the background does not keep', true, 0],
    ['otherwise keeps', false, 1],
  ])('a wait %s the process alive', async (_, background, more) => {
    const controller = new AbortController();
    const before = timers();
    const wait = sleepUnlessAborted(systemClock, HOUR, controller.signal, { background });
    expect(timers() - before).toBe(more);
    controller.abort();
    expect(await wait).toBe(false);
  });

  test('a wait longer than the longest timer does not end at once', async () => {
    const controller = new AbortController();
    const wait = sleepUnlessAborted(systemClock, Number.MAX_SAFE_INTEGER, controller.signal);
    const first = await Promise.race([wait, sleepUnlessAborted(systemClock, 20).then(() => 'still waiting')]);
    controller.abort();
    expect(first).toBe('still waiting');
  });

  test('an error in sleep itself is thrown', async () => {
    const clock = { ...systemClock, sleep: () => Promise.reject(new Error('broken')) };
    await expect(sleepUnlessAborted(clock, 1, new AbortController().signal)).rejects.toThrow('broken');
  });
});
