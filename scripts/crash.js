import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Kills receivers at random moments while the simulator sends them events, pauses some for longer than their lease, and
checks that no event is lost, handled out of order or handled by two processes at once.

SQLite is tested with one receiver and with two, PostgreSQL with three, while its server is restarted.

  npm run test:crash -- [--kills N] [--pauses N] [--engine sqlite|postgres|both]

  --kills N       how many kills (default 60)
  --pauses N      how many pauses (default 15)
  --engine NAME   the database of the receivers (default both)
  --help          this text
`,
  file: 'test/delivery/crash.long.test.ts',
  flags: {
    kills: {
      defaultValue: '60',
      pattern: /^[1-9]\d{0,5}$/,
      expected: 'a whole number from 1 to 999999',
      env: 'CRASH_KILLS',
    },
    pauses: {
      defaultValue: '15',
      pattern: /^\d{1,6}$/,
      expected: 'a whole number up to 999999',
      env: 'CRASH_PAUSES',
    },
    engine: {
      defaultValue: 'both',
      pattern: /^(sqlite|postgres|both)$/,
      expected: 'sqlite, postgres or both',
      env: 'CRASH_ENGINE',
    },
  },
});
