import { expect, test } from 'vitest';
import { createManualClock } from '../../src/simulator/index.js';

test('calls run in the order of their due time, each at its own time', () => {
  const clock = createManualClock(1_000);
  const calls: string[] = [];
  const note = (name: string) => () => calls.push(`${name} at ${clock.now()}`);
  clock.setTimeout(note('late'), 20);
  clock.setTimeout(note('early'), 10);
  clock.setTimeout(note('never'), 31);
  clock.clearTimeout(clock.setTimeout(note('taken back'), 5));
  clock.setTimeout(() => clock.setTimeout(note('from a call'), 5), 25);
  clock.advance(30);
  expect(calls).toEqual(['early at 1010', 'late at 1020', 'from a call at 1030']);
  expect(clock.now()).toBe(1_030);
});
