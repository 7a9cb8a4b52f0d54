import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundDelay, createPostponements } from '../../src/delivery/backoff.js';
import { Postponed } from '../../src/events/index.js';
import { delayAfter } from '../../src/internal/index.js';

const BACKOFF = { minDelayMs: 100, maxDelayMs: 1_000 };
const A_DAY = 86_400_000;

/** Makes `Math.random` return the same each time. */
function randomIs(value: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value);
  onTestFinished(() => random.mockRestore());
}

it.each([
  [0, [50, 100, 200, 400, 500, 500]],
  [1, [100, 200, 400, 800, 1_000, 1_000]],
])('a delay doubles up to the longest, with up to half taken off: %d', (random, delays) => {
  randomIs(random);
  expect([1, 2, 3, 4, 5, 6].map((attempts) => delayAfter(attempts, BACKOFF))).toEqual(delays);
});

it('a stored delay is whole, not negative, and at most a day', () => {
  expect([-1, 0, 0.2, 7, A_DAY, A_DAY + 1].map(boundDelay)).toEqual([0, 0, 1, 7, A_DAY, A_DAY]);
});

describe('postponements of an event', () => {
  const again = new Postponed('later');

  it('take longer each time, until it is no longer postponed', () => {
    randomIs(1);
    const postponements = createPostponements(BACKOFF);
    expect([1, 2, 3].map(() => postponements.next('a', again))).toEqual([100, 200, 400]);
    expect(postponements.next('b', again)).toBe(100);
    postponements.end('a');
    expect(postponements.next('a', again)).toBe(100);
    expect(postponements.next('b', again)).toBe(200);
  });

  it('take as long as the handler asks for, at once if it asks for that', () => {
    randomIs(1);
    const postponements = createPostponements(BACKOFF);
    const delays = [0, 7, 5_000].map((retryAfterMs) =>
      postponements.next('a', new Postponed('later', { retryAfterMs })),
    );
    expect(delays).toEqual([0, 7, 5_000]);
  });

  it('are forgotten, the oldest first, when very many events are postponed', () => {
    randomIs(1);
    const postponements = createPostponements(BACKOFF);
    postponements.next('first', again);
    postponements.next('second', again);
    postponements.next('first', again);
    for (let event = 0; event < 9_998; event += 1) postponements.next(String(event), again);
    expect(postponements.next('first', again)).toBe(400);
    postponements.next('one more', again);
    expect(postponements.next('second', again)).toBe(100);
    expect(postponements.next('first', again)).toBe(800);
  });
});
