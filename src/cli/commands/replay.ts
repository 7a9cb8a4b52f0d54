import { type Command, InvalidArgumentError, Option } from 'commander';
import { createColors } from 'picocolors';
import { printable } from '../../internal/readable-log.js';
import type { ReplayDifference, ReplayReport } from '../../recording/replay.js';
import {
  addReceiverFlags,
  CREDENTIALS_HELP,
  parseDuration,
  parsePort,
  type ReceiverFlags,
  receiverTarget,
} from '../flags.js';
import { readText } from '../input.js';
import {
  addOutputFlags,
  EXIT,
  type Output,
  type OutputFlags,
  print,
  runCommand,
  UsageError,
} from '../output.js';

interface ReplayFlags extends ReceiverFlags, OutputFlags {
  readonly platformPort: number;
  readonly speed: number;
  readonly timeout: number;
  readonly settle: number;
}

const MORE_HELP = `${CREDENTIALS_HELP}

It sends the requests of a recording again: each conversation in its order, conversations side by side. It also plays the
platform at --platform-port, and answers replies as the recording did: start the receiver with
PLATFORM_BASE_URL=http://127.0.0.1:4000, or whatever port you choose. It reports other statuses and answers,
and replies that are missing, doubled, changed or in another order. Conversations and messages get new ids, so that
a receiver does not take them for repeats.

Examples:
  At the speed of the recording:
    $ handoff-kit replay monday.jsonl --receiver-url http://127.0.0.1:3000/webhook --platform-port 4000

  In CI, as fast as answers and replies come:
    $ handoff-kit replay monday.jsonl --receiver-url http://127.0.0.1:3000/webhook --platform-port 4000 \\
        --speed max --json

Exit codes:
  0  the receiver did the same
  1  it did not: every difference is listed
  2  wrong use, or not a recording`;

/** `replay`: sends a recording to a receiver again. */
export function define(command: Command): void {
  command
    .description('Sends the requests of a recording to a receiver again, and reports what differs.')
    .argument('<file>', 'the recording, "-" for standard input');
  addReceiverFlags(command)
    .option('--platform-port <number>', 'the port where the receiver finds the platform', parsePort, 4000)
    .addOption(
      new Option('--speed <factor>', 'how much faster than the recording, or "max"')
        .argParser(parseSpeed)
        .default(1, '1'),
    )
    .addOption(
      new Option('--timeout <time>', 'the limit for each answer and each reply')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
    .addOption(
      new Option(
        '--settle <time>',
        'how long to wait at the end for replies that the recording does not have',
      )
        .argParser(parseDuration)
        .default(1_000, '1s'),
    );
  addOutputFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((file: string, flags: ReplayFlags) => runCommand(flags, (output) => replay(file, flags, output)));
}

function parseSpeed(text: string): number {
  const speed = text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
  if (speed > 0 && (text === 'max' || /^\d{1,4}(\.\d{1,3})?$/.test(text))) return speed;
  throw new InvalidArgumentError('Give a factor such as 1, 0.5 or 20, or max.');
}

async function replay(file: string, flags: ReplayFlags, output: Output): Promise<number> {
  const { parseRecording, replayRecording, startReplayPlatform } = await import('../../recording/replay.js');
  const { endpointHeaders, endpointUrl, handoffBaseUrl } = await import('../../doctor/index.js');
  const { postJson } = await import('../../simulator/sending/index.js');
  const target = receiverTarget(flags);
  const recording = parseRecording(await readText(file));
  const platform = await startReplayPlatform(flags.platformPort).catch(() => {
    throw new UsageError(`port ${flags.platformPort} is in use. Choose another with --platform-port.`);
  });
  try {
    const report = await replayRecording({
      recording,
      platform,
      send: (endpoint, body) =>
        postJson({
          url: endpoint === 'handoff' ? handoffBaseUrl(target) : endpointUrl(target, endpoint),
          headers: endpointHeaders(target, endpoint === 'handoff' ? 'chat' : endpoint),
          payload: JSON.stringify(body),
          timeoutMs: flags.timeout,
        }),
      speed: flags.speed,
      timeoutMs: flags.timeout,
      settleMs: flags.settle,
      secrets: [target.token, target.message.secret, target.handoff.secret].filter(
        (each) => each !== undefined,
      ),
    });
    print(output, { same: report.differences.length === 0, ...report }, textOf(report, output.colours));
    return report.differences.length === 0 ? EXIT.ok : EXIT.no;
  } finally {
    await platform.close();
  }
}

const KINDS: Readonly<Record<ReplayDifference['kind'], string>> = {
  status: 'another status',
  answer: 'another answer',
  missing: 'did not come',
  extra: 'not in the recording',
  changed: 'changed',
  order: 'in another order',
};

const MAX_LENGTH = 120;

function textOf(report: ReplayReport, colours: boolean): string {
  const { bold, dim, green, red } = createColors(colours);
  const { conversations, sent, replies, skipped, differences } = report;
  const show = (value: unknown): string => {
    const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
    return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
  };
  const lines = differences.flatMap(({ conversation, kind, endpoint, n, recorded, now }, index) => [
    ...(differences[index - 1]?.conversation === conversation ? [] : ['', bold(printable(conversation))]),
    `  ${red(`${printable(endpoint)}: ${KINDS[kind]}`)}${n === null ? '' : dim(` (request ${n})`)}`,
    ...(recorded === null ? [] : [`    recorded ${show(recorded)}`]),
    ...(now === null || kind === 'order' ? [] : [`    now      ${show(now)}`]),
  ]);
  const count = [
    `requests sent: ${sent}`,
    `conversations: ${conversations}`,
    `replies and closes: ${replies}`,
    ...(skipped === 0 ? [] : [`requests left out: ${skipped}`]),
  ].join(', ');
  return [
    `${count}. ${differences.length === 0 ? green('No differences.') : red(`Differences: ${differences.length}`)}`,
    ...lines,
  ].join('\n');
}
