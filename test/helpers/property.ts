import fc from 'fast-check';
import { test } from 'vitest';

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
          settings,
        ),
      timeout,
    );
