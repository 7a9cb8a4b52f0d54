import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Sends the receiver requests that may be anything, and holds it to its answers: 2xx or 4xx, never 5xx.

  npm run fuzz -- [--runs N]

  --runs N   how many requests of each kind (default 20000)
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
