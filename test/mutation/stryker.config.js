/** The mutation tester. See README.md in this folder. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './test/mutation/ignore-logs.js'],
  ignorers: ['logs'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate: [
    'src/delivery/**/*.ts',
    'src/bridge/outbound/**/*.ts',
    // Its tests need a server.
    '!src/delivery/postgres/**',
    // Runs in a thread of `dist`, which is not mutated.
    '!src/delivery/sqlite/writer-thread.ts',
  ],
  mutator: {
    // What is left: conditions, booleans, arithmetic, assignments and calls. The others change texts and SQL, or are
    // mostly noticed by the tests that notice a changed condition.
    excludedMutations: [
      'ArrayDeclaration',
      'ArrowFunction',
      'BlockStatement',
      'EqualityOperator',
      'LogicalOperator',
      'ObjectLiteral',
      'OptionalChaining',
      'Regex',
      'StringLiteral',
    ],
  },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 2_000,
  // Otherwise it rewrites `tsconfig.json`, which the compiler of this repository has no API for.
  tsconfigFile: 'none',
  tempDirName: 'coverage/.mutation-sandbox',
  reporters: ['clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'coverage/mutation/report.json' },
  htmlReporter: { fileName: 'coverage/mutation/report.html' },
  ignorePatterns: ['/docs', '/bench', '/examples', '/deploy', '/coverage'],
};
