import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DoctorFlags } from '../doctor/run-doctor.js';
import type { OutputFlags } from '../output.js';
import { parseTime, parseUrl } from '../parse-flags.js';
import { addReceiverFlags, CREDENTIALS_HELP } from '../receiver-flags.js';
import { addOutputFlags, runCommand } from '../run-command.js';

const MORE_HELP = `${CREDENTIALS_HELP}

What it does:
  It plays the service against a receiver that is running anywhere, made with this package or not: deliveries and
  availability tests on every path, right, wrong and missing credentials, bodies that must be taken although they
  are odd, requests that must be refused, repeats, load. Then it says what a correct receiver must do, whether
  this one does, and what to do where it does not. What cannot be seen from outside is marked "n/a".

  It sends real events, with conversation ids that begin with "doctor-". Unless the receiver is on this machine it
  asks first; --yes answers for you.

Examples:
  A receiver on this machine, with a token in the path of the handoff endpoints:
    $ export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=…
    $ handoff-kit doctor --url http://127.0.0.1:3000/webhook --token $TOKEN

  One that has handoff endpoints only, elsewhere, in CI:
    $ handoff-kit doctor --url https://desk.example.com/human/service --only handoff --yes --json

Exit codes:
  0  nothing was found
  1  something was found, or you said no
  2  wrong use: nothing was sent`;

const LARGEST_MEGABYTES = 256;

function parseMegabytes(text: string): number {
  const megabytes = Number(/^(\d{1,3})mb$/i.exec(text)?.[1]);
  if (megabytes >= 1 && megabytes <= LARGEST_MEGABYTES) return megabytes * 1_048_576;
  throw new InvalidArgumentError(`Give a size from 1mb to ${LARGEST_MEGABYTES}mb.`);
}

/** `doctor`: examines a receiver of any make. */
export function define(command: Command): void {
  command
    .description('Plays the service against a receiver, and says what is wrong with it and what to do.')
    .requiredOption(
      '--url <url>',
      "the developer's URL: the message webhook, with the handoff endpoints below it",
      parseUrl,
    )
    .option('--handoff-url <url>', 'where the handoff endpoints are, if they are not below --url', parseUrl);
  addReceiverFlags(command)
    .addOption(new Option('--only <group>', 'test one group of endpoints').choices(['message', 'handoff']))
    .addOption(
      new Option('--timeout <time>', 'how long to wait for an answer')
        .argParser(parseTime)
        .default(10_000, '10s'),
    )
    .addOption(
      new Option('--good-time <time>', 'what counts as answering in good time')
        .argParser(parseTime)
        .default(5_000, '5s'),
    )
    .addOption(
      new Option('--oversize <size>', 'the size of the body that is to be refused')
        .argParser(parseMegabytes)
        .default(8_388_608, '8mb'),
    )
    .option('-y, --yes', 'send real events without asking');
  addOutputFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((flags: DoctorFlags & OutputFlags) =>
      runCommand(flags, async (output) => {
        const { runDoctor } = await import('../doctor/run-doctor.js');
        return runDoctor(flags, output);
      }),
    );
}
