import { describe, expect, test } from 'vitest';
import { slept, systemClock } from '../../src/client/clock.js';

const HOUR = 3_600_000;

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the clock of the machine', () => {
  test.each([
    ['in the background does not keep', true, 0],
    ['otherwise keeps', false, 1],
  ])('a wait %s the process alive', async (_, background, more) => {
    const controller = new AbortController();
    const before = timers();
    const wait = slept(systemClock, HOUR, controller.signal, { background });
    expect(timers() - before).toBe(more);
    controller.abort();
    expect(await wait).toBe(false);
  });

  test('a wait longer than a timer can hold does not end at once', async () => {
    const controller = new AbortController();
    const wait = slept(systemClock, Number.MAX_SAFE_INTEGER, controller.signal);
    const first = await Promise.race([wait, slept(systemClock, 20).then(() => 'still waiting')]);
    controller.abort();
    expect(first).toBe('still waiting');
  });

  test('a sleep that fails for another reason says so', async () => {
    const clock = { ...systemClock, sleep: () => Promise.reject(new Error('broken')) };
    await expect(slept(clock, 1, new AbortController().signal)).rejects.toThrow('broken');
  });
});
