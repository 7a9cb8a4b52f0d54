import { describe, expect, it } from 'vitest';
import { explain, findViolation, replay } from './run-histories.js';

/** `fuzz-faults.long.test.ts` runs many more, and `mistakes.long.test.ts` shows that mistakes are found. */
const HISTORIES = 30;

/** One history may happen to be the same by chance: in few does the order of processes matter. */
const REPLAYED = 10;

describe('a simulation of faults', () => {
  it('gives the same history for the same seed', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= REPLAYED; seed += 1) {
      const { trace } = await replay(seed);
      expect(trace.length).toBeGreaterThan(100);
      expect((await replay(seed)).trace).toEqual(trace);
      traces.add(trace.join());
    }
    expect(traces.size).toBe(REPLAYED);
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
