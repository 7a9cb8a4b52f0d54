import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const fromSource = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

/** The longest files start first, so that no worker is left with one at the end. */
const LONG = /live-conformance|ten-thousand|crash\.test|contract-|restarts-|test\/browser\//;

/** Tests that need PostgreSQL. They share one server. */
const POSTGRES = ['test/**/*postgres*.test.ts', 'test/handoff/retention.test.ts'];

/**
 * Tests that need more than `npm ci` installs: a browser, a Request Tracker, a mail server, Next.js, other compilers,
 * bundlers and linters. CI runs them on one version of Node only.
 */
const OUTSIDE = [
  'test/{browser,deploy,package}/**/*.test.ts',
  'test/bindings/next.test.ts',
  'test/adapters/{request-tracker,email}/live-*.test.ts',
];

/** Tests that need a process of their own: they leave deliveries behind as a crash would, or fill the memory. */
const ALONE = ['test/{delivery,handoff,integration}/**/*.test.ts'];

/** Tests that `npm run test:quick` leaves out: they compile, spawn programs, or try very many inputs. */
const SLOW = [
  'test/{cli,docs,examples,opentelemetry,standalone}/**/*.test.ts',
  'test/adapters/desk/**/*.test.ts',
  'test/loading.test.ts',
  'test/**/{fuzz,properties,types}*.test.ts',
  'test/**/*conformance*.test.ts',
];

/** For tests that compile or start programs: on a busy machine with two cores, one compilation took over 30 seconds. */
const PROGRAMS_TIMEOUT_MS = 120_000;

/**
 * Long tests of logic, documents and types, which have the same outcome on every version of Node. CI runs them on one:
 * on the others it sets `HANDOFF_KIT_OTHER_NODE`.
 */
const SAME_ON_EVERY_NODE = [
  'test/{docs,simulation}/**',
  'test/house.test.ts',
  'test/integration/ten-thousand.test.ts',
  'test/**/*conformance*.test.ts',
  'test/testing/conformance/**',
  'test/**/types*.test.ts',
  'test/cli/completion.test.ts',
];
const isOtherNode = Boolean(process.env.HANDOFF_KIT_OTHER_NODE);

/** Not to be run: tests of others, since some tests have a `node_modules` of their own, and those that ran before. */
const LEFT_OUT = ['**/node_modules/**', ...(isOtherNode ? SAME_ON_EVERY_NODE : [])];

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
      { find: /^handoff-kit\/(fastify|hono|lambda)$/, replacement: fromSource('bindings/$1.ts') },
      {
        find: /^handoff-kit\/(client|metrics|opentelemetry|protocol|testing|simulator|delivery|delivery\/sqlite|delivery\/postgres|adapters\/[\w-]+)$/,
        replacement: fromSource('$1/index.ts'),
      },
    ],
  },
  test: {
    // Most files share processes: loading the package anew would take longer than most of them.
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...LEFT_OUT, ...OUTSIDE, ...ALONE, ...POSTGRES, ...SLOW],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          exclude: [...LEFT_OUT, ...OUTSIDE, ...ALONE, ...POSTGRES],
          isolate: false,
          testTimeout: PROGRAMS_TIMEOUT_MS,
          hookTimeout: PROGRAMS_TIMEOUT_MS,
          typecheck: { enabled: !isOtherNode, include: ['test/**/*.test-d.ts'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: POSTGRES,
          exclude: LEFT_OUT,
          globalSetup: 'test/helpers/postgres-server.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: [...LEFT_OUT, ...POSTGRES] } },
      {
        extends: true,
        test: {
          name: 'outside',
          include: OUTSIDE,
          testTimeout: PROGRAMS_TIMEOUT_MS,
          hookTimeout: PROGRAMS_TIMEOUT_MS,
        },
      },
    ],
    // More workers than cores: many tests wait for a child process or a socket.
    maxWorkers: 3,
    // Of `it.concurrent`, for tests that do nothing but wait.
    maxConcurrency: 10,
    setupFiles: ['test/helpers/several-processes.ts'],
    sequence: { sequencer: LongFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Only a failing test waits that long.
    expect: { poll: { timeout: 20_000 } },
  },
});
