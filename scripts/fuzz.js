import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Sends arbitrary requests to the receiver and fails unless every answer is 2xx or 4xx.
Bodies that differ from the contract as those of platforms do must be answered 200.

  npm run fuzz -- [--runs N]

  --runs N   number of requests of each kind (default 20000)
  --help     this text
`,
  file: 'test/receiver/fuzz.test.ts',
  flags: {
    runs: {
      defaultValue: '20000',
      pattern: /^[1-9]\d{0,8}$/,
      expected: 'a whole number from 1 to 999999999',
      env: 'FUZZ_RUNS',
    },
  },
});
