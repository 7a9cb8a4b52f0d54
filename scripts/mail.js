import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Tests the adapter for e-mail against a real mail server, exim and dovecot, which it starts and stops itself.

  npm run test:mail -- [--install-only] [name of a test file…]

Where they are missing they are installed from Debian's packages, as root. The tests start servers of their own, each
with its configuration and its mails in a temporary folder and on ports of this machine; those that you have installed
yourself are not touched.

  --install-only  install exim and dovecot and run nothing
  --help          this text
`;

const SERVERS = ['/usr/sbin/exim4', '/usr/sbin/dovecot', '/usr/lib/dovecot/imap'];
const APT = '/usr/bin/apt-get';
const PACKAGES = ['exim4-daemon-light', 'dovecot-imapd'];

/** @returns {{ installOnly: boolean, files: string[] } | { problem: string } | { help: true }} */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'install-only': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { help: true };
    return { installOnly: values['install-only'], files: positionals };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

const isInstalled = () => SERVERS.every((file) => existsSync(file));

/**
 * Installs the servers unless they are there.
 *
 * @returns {string | null} what is in the way
 */
function install() {
  if (isInstalled()) return null;
  const command = `apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`;
  if (!existsSync(APT)) {
    return 'exim and dovecot are installed from the packages of Debian 12 or later, and this is no Debian: run it in a container of debian:12.';
  }
  if (process.getuid?.() !== 0) return `exim or dovecot is missing. Install them as root: ${command}`;
  process.stdout.write(`Installing ${PACKAGES.join(', ')} and what they need.\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES],
  ]) {
    const { status } = spawnSync(APT, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) return `apt-get ${args[0]} failed, see above.`;
  }
  return isInstalled()
    ? null
    : `The packages were installed, and not all of ${SERVERS.join(', ')} are there.`;
}

/**
 * Runs the adapter's tests, those against the servers and the others.
 *
 * @param {string[]} files
 * @returns {number} the exit code
 */
function test(files) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const required = [process.env.HANDOFF_KIT_REQUIRE, 'mail'].filter(Boolean).join(',');
  const folder = 'test/adapters/email';
  const chosen = files.length > 0 ? files.map((file) => `${folder}/${file}`) : [folder];
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...chosen, '--typecheck.enabled=false', '--reporter=verbose'],
    {
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, HANDOFF_KIT_REQUIRE: required },
      stdio: 'inherit',
    },
  );
  return status ?? 1;
}

const given = readArguments();
if ('help' in given) process.stdout.write(HELP);
else if ('problem' in given) {
  process.stderr.write(`${given.problem}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const problem = install();
  if (problem) process.stderr.write(`${problem}\n`);
  if (problem) process.exitCode = 1;
  else if (!given.installOnly) process.exitCode = test(given.files);
}
