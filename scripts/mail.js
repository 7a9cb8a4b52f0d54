import { runLiveTests } from './run-live-tests.js';

runLiveTests({
  name: 'exim or dovecot',
  help: `Tests the adapter for e-mail against a real mail server, exim and dovecot, which it starts and stops itself.

  npm run test:mail -- [--install-only] [name of a test file…]

Where they are missing they are installed from Debian's packages, as root. The tests start servers of their own, each
with its configuration and its mails in a temporary folder and on ports of this machine; those that you have installed
yourself are not touched.

  --install-only  install exim and dovecot and run nothing
  --help          this text
`,
  programs: ['/usr/sbin/exim4', '/usr/sbin/dovecot', '/usr/lib/dovecot/imap'],
  packages: ['exim4-daemon-light', 'dovecot-imapd'],
  requirement: 'mail',
  folder: 'test/adapters/email',
});
