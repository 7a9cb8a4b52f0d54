import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const fromSource = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** Tests that take long: `npm run test:all` runs them, `npm test` does not. */
const LONG = ['test/**/*.long.test.ts'];

/** Tests that need more than `npm ci` installs: a browser, live systems, other compilers. Also for `npm run test:all`. */
const OUTSIDE = [
  'test/{browser,deploy,package}/**/*.test.ts',
  'test/bindings/next.test.ts',
  'test/adapters/{request-tracker,email}/live-*.test.ts',
];

/** Tests that need PostgreSQL. They share one server. */
const POSTGRES = ['test/**/*postgres*.test.ts', 'test/handoff/retention.test.ts'];

/** Tests that replace modules of the package, and so need a process of their own. */
const ALONE = ['test/integration/shared-mistakes.test.ts'];

/** Tests of documents, types and simulated time: one version of Node is enough. */
const ONCE = ['test/{docs,simulation}/**/*.test.ts', 'test/layers.test.ts', 'test/**/types*.test.ts'];

/** Tests that `npm run check` leaves out: they start programs, abandon deliveries as a crash would, or try very many inputs. */
const PROGRAMS = [
  'test/{cli,delivery,desk,examples,handoff,integration,opentelemetry,standalone}/**/*.test.ts',
  'test/testing/conformance/**/*.test.ts',
  'test/loading.test.ts',
  'test/**/{fuzz,properties}*.test.ts',
];

/** Not our tests: some tests have a `node_modules` of their own. */
const NOT_OURS = ['**/node_modules/**'];

/** For tests of the desk, which has agents log in. */
const CHEAP_PASSWORDS = ['test/helpers/cheap-passwords.ts'];

/** The longest files start first, so that no worker is left with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.includes(name));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => order(one) - order(other));
  }
}
const LONGEST = [
  'live-conformance',
  'test/package/scaffold',
  'contract-',
  'takeover/',
  'crash.',
  'restarts',
  'test/browser/',
];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^handoff-kit$/, replacement: fromSource('public/index.ts') },
      { find: /^handoff-kit\/(.+)$/, replacement: fromSource('public/$1.ts') },
    ],
  },
  test: {
    // Files share processes where they can: loading the package anew would take longer than most of them.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_OURS, ...LONG, ...OUTSIDE, ...ALONE, ...POSTGRES, ...PROGRAMS, ...ONCE],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          setupFiles: CHEAP_PASSWORDS,
          include: PROGRAMS,
          exclude: [...NOT_OURS, ...LONG, ...OUTSIDE, ...ALONE, ...POSTGRES, ...ONCE],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'once',
          include: ONCE,
          exclude: [...NOT_OURS, ...LONG],
          isolate: false,
          typecheck: {
            enabled: true,
            include: ['test/**/*.test-d.ts'],
            tsconfig: 'test/tsconfig.types.json',
          },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          setupFiles: CHEAP_PASSWORDS,
          include: POSTGRES,
          exclude: [...NOT_OURS, ...LONG],
          isolate: false,
          globalSetup: 'test/helpers/postgres-server.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          setupFiles: CHEAP_PASSWORDS,
          include: LONG,
          exclude: [...NOT_OURS, ...OUTSIDE],
          globalSetup: 'test/helpers/postgres-server.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'outside',
          setupFiles: CHEAP_PASSWORDS,
          include: OUTSIDE,
          exclude: NOT_OURS,
        },
      },
    ],
    // More workers than cores: many tests wait for a child process or a socket.
    maxWorkers: 3,
    // Of `it.concurrent`, for tests that do nothing but wait.
    maxConcurrency: 10,
    setupFiles: ['test/helpers/several-processes.ts'],
    sequence: { sequencer: LongestFirst },
    // On a busy machine with two cores, one compilation took over 30 seconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Only a failing test waits that long.
    expect: { poll: { timeout: 20_000 } },
  },
});
