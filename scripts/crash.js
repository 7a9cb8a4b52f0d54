import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Kills receivers at random moments while the simulator sends them events, and checks that no event is lost,
handled out of order or handled by two processes at once.

  npm run test:crash -- [--kills N] [--engine sqlite|postgres]

  --kills N       how many kills (default 40)
  --engine NAME   the database of the receivers (default sqlite)
  --help          this text
`,
  file: 'test/delivery/crash.test.ts',
  flags: {
    kills: {
      defaultValue: '40',
      pattern: /^[1-9]\d{0,5}$/,
      expected: 'a whole number from 1 to 999999',
      env: 'CRASH_KILLS',
    },
    engine: {
      defaultValue: 'sqlite',
      pattern: /^(sqlite|postgres)$/,
      expected: 'sqlite or postgres',
      env: 'CRASH_ENGINE',
    },
  },
});
