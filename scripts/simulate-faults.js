import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Runs the receiver, its queues and the bridge in simulated processes that die and pause, with a storage and a network
that lose, delay, repeat and refuse, and checks that no promise is broken. The same seed gives the same history.

  npm run simulate:faults -- [--histories N] [--from SEED]
  npm run simulate:faults -- --seed SEED

  --histories N   how many histories (default 5000)
  --from SEED     the seed of the first (default 1)
  --seed SEED     runs this history alone and prints what happens in it
  --help          this text
`,
  file: 'test/simulation/fuzz-faults.long.test.ts',
  flags: {
    histories: {
      defaultValue: '5000',
      pattern: /^[1-9]\d{0,8}$/,
      expected: 'a whole number from 1 to 999999999',
      env: 'SIMULATE_HISTORIES',
    },
    from: {
      defaultValue: '1',
      pattern: /^\d{1,9}$/,
      expected: 'a whole number up to 999999999',
      env: 'SIMULATE_FROM',
    },
    seed: {
      defaultValue: '',
      pattern: /^\d{0,9}$/,
      expected: 'a whole number up to 999999999',
      env: 'SIMULATE_SEED',
    },
  },
});
