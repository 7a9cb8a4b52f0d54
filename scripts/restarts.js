import { runLongTest } from './run-long-test.js';

runLongTest({
  help: `Restarts two replicas of the program behind a load balancer, with SIGTERM and with kill -9, while users write, and
checks that no request fails (SIGTERM) and that no event is lost.

  npm run test:restarts -- [--restarts N]

  --restarts N    how many restarts of each kind, on SQLite and on PostgreSQL (default 100)
  --help          this text
`,
  file: 'test/standalone/restarts',
  flags: {
    restarts: {
      defaultValue: '100',
      pattern: /^[1-9]\d{0,5}$/,
      expected: 'a whole number from 1 to 999999',
      env: 'RESTARTS',
    },
  },
});
