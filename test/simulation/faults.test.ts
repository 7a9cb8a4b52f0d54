import { describe, expect, it } from 'vitest';
import { explain, findViolation, replay } from './run-histories.js';

/** `fuzz-faults.long.test.ts` runs many more, and `mistakes.long.test.ts` shows that mistakes are found. */
const HISTORIES = 30;

describe('a simulation of faults', () => {
  it('gives the same history for the same seed', async () => {
    const first = await replay(11);
    expect(first.trace.length).toBeGreaterThan(100);
    expect((await replay(11)).trace).toEqual(first.trace);
    expect((await replay(12)).trace).not.toEqual(first.trace);
  });

  it(`finds no broken promise in ${HISTORIES} histories`, async () => {
    const { found, counts } = await findViolation(1, HISTORIES);
    expect(explain(found)).toBeNull();
    // Otherwise little was tried.
    expect(counts.events).toBeGreaterThan(HISTORIES);
    expect(counts.replies).toBeGreaterThan(HISTORIES);
    expect(counts.deaths).toBeGreaterThan(HISTORIES / 4);
    expect(counts.pauses).toBeGreaterThan(HISTORIES / 4);
  });
});
