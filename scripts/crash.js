import { runLonger } from './longer/run-longer.js';

runLonger({
  help: `Kills receivers at random moments while the simulator sends them events, and judges what became of those.

  npm run test:crash -- [--kills N] [--engine sqlite|postgres]

  --kills N       how many kills (default 40)
  --engine NAME   what the receivers store in (default sqlite)
  --help          this text
`,
  file: 'test/delivery/crash.test.ts',
  flags: {
    kills: {
      standard: '40',
      pattern: /^[1-9]\d{0,5}$/,
      must: 'a whole number from 1 to 999999',
      env: 'CRASH_KILLS',
    },
    engine: {
      standard: 'sqlite',
      pattern: /^(sqlite|postgres)$/,
      must: 'sqlite or postgres',
      env: 'CRASH_ENGINE',
    },
  },
});
