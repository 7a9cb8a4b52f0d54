import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.js';

const { projects: _, ...settings } = base.test ?? {};

/** Small tests first: the first that fails ends the run of a mutant. */
class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLarge = ({ moduleId }: TestSpecification): boolean =>
      /contract-|queue\/|histories/.test(moduleId);
    return files.toSorted((one, other) => Number(isLarge(one)) - Number(isLarge(other)));
  }
}

/** One project with the tests that can see a mutant: those that start neither a server nor a process of `dist`. */
export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: [
      `test/${process.env.MUTATION_TESTS ?? '{bridge,delivery,handoff}'}/**/*.test.ts`,
      'test/mutation/histories.ts',
    ],
    exclude: [
      '**/node_modules/**',
      'test/**/*.long.test.ts',
      'test/**/*postgres*.test.ts',
      'test/handoff/retention.test.ts',
      'test/delivery/{sqlite-thread,takeover/*,crash/*}.test.ts',
      // Slow, and for one property that a mutant hardly changes.
      'test/bridge/{html-to-text,many-conversations,verify-signature}.test.ts',
      'test/delivery/{bounds,clock/sqlite}.test.ts',
    ],
    isolate: false,
    sequence: { sequencer: SmallFirst },
    setupFiles: [...[settings.setupFiles ?? []].flat(), 'test/mutation/setup.ts'],
  },
});
