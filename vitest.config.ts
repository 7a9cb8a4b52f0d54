import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const fromSource = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

/** What takes longest, and is begun first: at the end others would have nothing left to do beside it. */
const LONG = /live-conformance|ten-thousand|crash\.test|contract-|test\/browser\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): number => (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).toSorted((one, other) => isLong(one) - isLong(other));
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^handoff-kit$/, replacement: fromSource('index.ts') },
      {
        find: /^handoff-kit\/(service|protocol|testing|simulator|delivery\/sqlite|delivery\/postgres|adapters\/[\w-]+)$/,
        replacement: fromSource('$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    // Many tests wait for a child process or a socket more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
