import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const fromSource = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

/** What takes longest, and is begun first: at the end others would have nothing left to do beside it. */
const LONG = /live-conformance|ten-thousand|crash\.test|contract-|test\/browser\//;

/** What needs PostgreSQL. */
const POSTGRES = ['test/**/*postgres*.test.ts', 'test/handoff/retention.test.ts'];

/** What needs more than npm brings: a browser, a Request Tracker. */
const OUTSIDE = ['test/browser/**/*.test.ts', 'test/adapters/request-tracker/live-*.test.ts'];

/** What takes a process for itself: deliveries that are left behind as if theirs had died, and what takes all memory. */
const ALONE = ['test/{delivery,handoff,integration}/**/*.test.ts'];

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
      { find: /^handoff-kit\/adapter$/, replacement: fromSource('adapter.ts') },
      {
        find: /^handoff-kit\/(client|protocol|testing|simulator|delivery\/sqlite|delivery\/postgres|adapters\/[\w-]+)$/,
        replacement: fromSource('$1/index.ts'),
      },
    ],
  },
  test: {
    // Most share processes: to load everything anew for each file would take longer than most of them.
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...OUTSIDE, ...ALONE, ...POSTGRES],
          isolate: false,
          typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: POSTGRES,
          globalSetup: 'test/helpers/postgres-for-all.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: POSTGRES } },
      { extends: true, test: { name: 'outside', include: OUTSIDE } },
    ],
    // Many tests wait for a child process or a socket more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
