import * as fc from 'fast-check';
import { test } from 'vitest';

/** How many times as many inputs as in `npm test`: the long form of a test sets it. */
const FACTOR = Number(process.env.PROPERTY_FACTOR ?? 1);
const DEFAULT_RUNS = 100;

type Inputs<T> = { [Each in keyof T]: fc.Arbitrary<T[Each]> };

/**
 * A test with many random inputs; a failure prints the seed and the smallest input. Not from `@fast-check/vitest`, which
 * takes 4 seconds of CPU to load, in every process.
 */
export const property =
  <T extends [unknown, ...unknown[]]>(inputs: Inputs<T>, settings?: fc.Parameters<T>) =>
  (name: string, holds: (...given: T) => unknown, timeout?: number): void =>
    test(
      name,
      () =>
        fc.assert(
          fc.asyncProperty(...inputs, async (...given: T) => (await holds(...given)) as true | undefined),
          { ...settings, numRuns: (settings?.numRuns ?? DEFAULT_RUNS) * FACTOR },
        ),
      timeout,
    );
