import { type Command, InvalidArgumentError, Option } from 'commander';
import { createColors } from 'picocolors';
import type {
  DoctorOptions,
  DoctorProgress,
  DoctorReport,
  DoctorResult,
  EndpointGroup,
  ReceiverTarget,
} from '../../doctor/index.js';
import { printable } from '../../internal/readable-log.js';
import { onStopSignal } from '../../standalone/index.js';
import {
  addReceiverFlags,
  CREDENTIALS_HELP,
  parseDuration,
  parseUrl,
  type ReceiverFlags,
  receiverTarget,
} from '../flags.js';
import { confirm, type Terminal } from '../input.js';
import { addOutputFlags, EXIT, type Output, type OutputFlags, runCommand } from '../output.js';

type DoctorFlags = ReceiverFlags & {
  readonly only?: EndpointGroup;
  readonly timeout: number;
  readonly goodTime: number;
  readonly oversize: number;
  readonly yes?: boolean;
};

const MORE_HELP = `${CREDENTIALS_HELP}

What it does:
  It plays the platform against a receiver that runs anywhere, made with this package or not: webhooks and
  availability tests on every path, right, wrong and missing credentials, unusual bodies, requests to refuse,
  repeats, load. Then it lists what it found:
    pass    as it should be
    FAIL    breaks the specification, or accepts other credentials than those you gave, with the way to fix it
    advice  allowed by the specification, and still better done otherwise: it does not fail the receiver
    n/a     cannot be tested from outside

  It sends real events, with conversation ids that begin with "doctor-". Unless the receiver is on this machine it
  asks first; --yes answers for you.

Examples:
  A receiver on this machine, with a token in the path of the handoff endpoints:
    $ export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=…
    $ handoff-kit doctor --receiver-url http://127.0.0.1:3000/webhook

  A remote receiver with handoff endpoints only, in CI:
    $ handoff-kit doctor --receiver-url https://desk.example.com/human/service --only handoff --yes --json

Exit codes:
  0  nothing failed; there may be advice
  1  something failed, or you said no
  2  wrong use: nothing was sent`;

const MAX_MEGABYTES = 256;

function parseMegabytes(text: string): number {
  const megabytes = Number(/^(\d{1,3})mb$/i.exec(text)?.[1]);
  if (megabytes >= 1 && megabytes <= MAX_MEGABYTES) return megabytes * 1_048_576;
  throw new InvalidArgumentError(`Give a size from 1mb to ${MAX_MEGABYTES}mb.`);
}

/** `doctor`: examines any receiver from outside. */
export function define(command: Command): void {
  command
    .description(
      'Plays the platform against a receiver, lists what breaks the specification, and gives advice.',
    )
    .option(
      '--handoff-url <url>',
      'the URL of the handoff endpoints, if they are not below --receiver-url',
      parseUrl,
    );
  addReceiverFlags(command)
    .addOption(new Option('--only <group>', 'test one group of endpoints').choices(['message', 'handoff']))
    .addOption(
      new Option('--timeout <time>', 'the limit for an answer')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
    .addOption(
      new Option('--good-time <time>', 'slower answers are reported')
        .argParser(parseDuration)
        .default(5_000, '5s'),
    )
    .addOption(
      new Option('--oversize <size>', 'the size of a body to refuse')
        .argParser(parseMegabytes)
        .default(8_388_608, '8mb'),
    )
    .option('-y, --yes', 'send real events without asking');
  addOutputFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((flags: DoctorFlags & OutputFlags) => runCommand(flags, (output) => runDoctor(flags, output)));
}

const CLEAR_LINE = '\r\u001B[K';

async function runDoctor(flags: DoctorFlags, output: Output): Promise<number> {
  const { selectDoctorChecks, examineReceiver, redactSecrets } = await import('../../doctor/index.js');
  const target = receiverTarget(flags);
  const options: DoctorOptions = {
    groups: flags.only && [flags.only],
    timeoutMs: flags.timeout,
    slowAfterMs: flags.goodTime,
    oversizeBytes: flags.oversize,
  };
  const urls = [target.url, ...(target.handoffUrl ? [target.handoffUrl] : [])];
  process.stderr.write(announcement(redactSecrets(urls.join(' and '), target)));
  if (!(await hasConsent(target, flags.yes === true))) {
    process.stderr.write('Nothing was sent.\n');
    return EXIT.no;
  }
  const idWidth = Math.max(...selectDoctorChecks(options).map(({ id }) => id.length));
  const report = createReport(idWidth, output.colours);
  const clear = process.stderr.isTTY ? CLEAR_LINE : '';
  const stop = new AbortController();
  onStopSignal(process, { first: () => stop.abort(), again: () => process.exit(EXIT.no) });
  const progress: DoctorProgress = {
    signal: stop.signal,
    onCheckStart({ id }, place, of) {
      if (clear) process.stderr.write(`${clear}${place}/${of} ${id} …`);
    },
    onCheckDone(result) {
      process.stderr.write(clear);
      if (!output.json) process.stdout.write(`${report.row(result)}\n`);
    },
  };
  if (!output.json) process.stdout.write('\n');
  const examination = await examineReceiver(target, options, progress);
  const counts = countVerdicts(examination.results);
  const stopped = stop.signal.aborted;
  const ok = counts.fail === 0 && !stopped;
  const data = { url: redactSecrets(target.url, target), ok, stopped, counts, ...examination };
  if (stopped) process.stderr.write('Stopped before everything was tested.\n');
  process.stdout.write(`${output.json ? JSON.stringify(data) : report.summary(examination)}\n`);
  return ok ? EXIT.ok : EXIT.no;
}

const announcement = (urls: string): string =>
  `The doctor sends real events to ${printable(urls)}:
  about 200 requests; the receiver gets about 30 messages of a bot and 20 handoffs.
  Their conversation ids begin with "doctor-", and the doctor closes every handoff that it opens.
`;

/** Whether to send: always on this machine and with `yes`, else the terminal decides. */
export async function hasConsent(
  target: ReceiverTarget,
  yes: boolean,
  terminal?: Terminal,
): Promise<boolean> {
  const { isLoopback } = await import('../../doctor/index.js');
  const urls = [target.url, target.handoffUrl ?? target.url];
  return confirm('Send real events to another machine?', yes || urls.every(isLoopback), terminal);
}

interface Report {
  /** A row of the table, with the problems and advice below it. */
  row(result: DoctorResult): string;
  summary(examination: DoctorReport): string;
}

const VERDICT_TEXTS = { pass: 'pass', fail: 'FAIL', advice: 'advice', 'not testable': 'n/a' } as const;
const VERDICT_WIDTH = 'advice'.length;

function createReport(idWidth: number, colours: boolean): Report {
  const { bold, cyan, dim, green, red, yellow } = createColors(colours);
  const paint = { pass: green, fail: red, advice: yellow, 'not testable': dim } as const;
  const indent = ' '.repeat(VERDICT_WIDTH + 2);

  return {
    row(result) {
      const { id, expects, advice, verdict } = result;
      const shown = paint[verdict](VERDICT_TEXTS[verdict].padEnd(VERDICT_WIDTH));
      const head = `${shown}  ${id.padEnd(idWidth)}  ${expects}`;
      if (result.verdict === 'not testable')
        return `${head}\n${dim(`${indent}not testable: ${result.reason}`)}`;
      if (result.verdict === 'pass') return head;
      const mark = paint[verdict](result.verdict === 'fail' ? '✘' : '•');
      const problems = result.problems.map((problem) => `${indent}${mark} ${printable(problem)}`);
      return [head, ...problems, `${indent}${cyan('→')} ${advice}`].join('\n');
    },
    summary({ results, requests, leftOpen }) {
      const { pass, fail, advice, notTestable } = countVerdicts(results);
      const counts = `${pass} passed, ${fail} failed, ${advice} with advice, ${notTestable} not testable`;
      const left = leftOpen.map(printable).join(', ');
      return [
        '',
        `${(fail === 0 ? green : red)(bold(counts))}; ${requests} requests.`,
        ...(leftOpen.length > 0 ? [yellow(`These handoffs could not be closed again: ${left}`)] : []),
      ].join('\n');
    },
  };
}

function countVerdicts(results: readonly DoctorResult[]) {
  const count = (wanted: DoctorResult['verdict']) =>
    results.filter(({ verdict }) => verdict === wanted).length;
  return {
    pass: count('pass'),
    fail: count('fail'),
    advice: count('advice'),
    notTestable: count('not testable'),
  };
}
