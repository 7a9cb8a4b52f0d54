import { defineConfig } from 'vitest/config';

const fromSource = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

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
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
