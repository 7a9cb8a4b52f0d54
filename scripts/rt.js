import { runLiveTests } from './run-live-tests.js';

runLiveTests({
  name: 'Request Tracker 5',
  help: `Tests the adapter for Request Tracker against a real one, which it starts and stops itself.

  npm run test:rt -- [--install-only] [name of a test file…]

Where RT is missing it is installed from Debian's packages, as root: some 230 packages, a minute or more. The
tests make RTs of their own, each with a database in a temporary folder and a port of this machine; one that
you have installed yourself is not touched.

  --install-only  install RT and run nothing
  --help          this text
`,
  programs: ['/usr/share/request-tracker5/libexec/rt-server'],
  packages: ['request-tracker5', 'rt5-db-sqlite', 'rt5-standalone'],
  requirement: 'rt',
  folder: 'test/adapters/request-tracker',
});
