import { type Command, Option } from 'commander';
import { printable } from '../../internal/readable-log.js';
import { parsePort, parseUrl, receiverUrlOf } from '../flags.js';
import {
  addOutputFlags,
  EXIT,
  type Output,
  type OutputFlags,
  print,
  runCommand,
  UsageError,
} from '../output.js';

interface RecordFlags extends OutputFlags {
  readonly to: string;
  readonly receiverUrl?: string;
  readonly platformBaseUrl?: string;
  readonly port: number;
  readonly platformPort: number;
  readonly keepContent?: boolean;
}

const MORE_HELP = `
It stands between the platform and any receiver, made with this package or not. Requests and answers pass
unchanged, and each exchange becomes a line of the file, for handoff-kit replay:

  platform ──► --port ──► --receiver-url        give the platform the address of the recorder as its webhook
  receiver ──► --platform-port ──► --platform-base-url    give it to the receiver as PLATFORM_BASE_URL

Credentials are never written: no headers, paths or queries, and no body that repeats them. Ids become pseudonyms. Words
become text of the same length and script, unless --keep-content. The file is readable by its owner alone; one that
exists is continued. If it cannot be written any more, that is said once, and requests pass on.
It listens on this machine only: a tunnel or a reverse proxy leads the platform to it.

Examples:
  Record a receiver at port 3000, behind a tunnel to port 5000:
    $ handoff-kit record --to monday.jsonl --receiver-url http://127.0.0.1:3000/webhook --port 5000

  Replies too. The receiver runs with PLATFORM_BASE_URL=http://127.0.0.1:5001:
    $ handoff-kit record --to monday.jsonl --receiver-url http://127.0.0.1:3000/webhook --port 5000 \\
        --platform-base-url https://api.example.com --platform-port 5001

Exit codes:
  0  stopped by SIGINT or SIGTERM
  1  could not start
  2  wrong use`;

/** `record`: a proxy that writes exchanges to a file. */
export function define(command: Command): void {
  command
    .description('Records the exchanges between the platform and any receiver, without credentials.')
    .requiredOption('--to <file>', 'the file to write')
    .addOption(
      new Option('--receiver-url <url>', 'the URL of messages; the handoff endpoints are below it')
        .env('RECEIVER_URL')
        .argParser(parseUrl),
    )
    .addOption(
      new Option('--platform-base-url <url>', "the platform's base URL, to record replies, too")
        .env('PLATFORM_BASE_URL')
        .argParser(parseUrl),
    )
    .option('--port <number>', 'the port for the platform; 0 takes any free one', parsePort, 0)
    .option('--platform-port <number>', 'the port for the receiver; 0 takes any free one', parsePort, 0)
    .option('--keep-content', 'write the words of users, agents and bots');
  addOutputFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((flags: RecordFlags) => runCommand(flags, (output) => record(flags, output)));
}

async function record(flags: RecordFlags, output: Output): Promise<number> {
  const { createRecorder, platformEndpointOf, receiverEndpointOf } = await import('../../recording/index.js');
  const { startRecordProxy } = await import('../record-proxy.js');
  const { onStopSignal } = await import('../../standalone/index.js');
  const receiver = new URL(receiverUrlOf(flags));
  const platform = flags.platformBaseUrl === undefined ? null : new URL(flags.platformBaseUrl);
  const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(process, { first: resolve, again: () => process.exit(EXIT.no) });
  });
  const warn = (message: string): void =>
    void process.stderr.write(`${output.json ? JSON.stringify({ warning: message }) : message}\n`);
  const recorder = createRecorder({ to: flags.to, keepContent: flags.keepContent === true }, warn);
  const toReceiver = await startRecordProxy(
    {
      to: 'receiver',
      target: receiver,
      pathOf: (url) => url,
      recognise: (path) => receiverEndpointOf(receiver.pathname, path),
      recorder,
    },
    flags.port,
  ).catch(refusedPort);
  const basePath = platform?.pathname.replace(/\/+$/, '') ?? '';
  const toPlatform =
    platform &&
    (await startRecordProxy(
      {
        to: 'platform',
        target: platform,
        pathOf: (url) => `${basePath}${url}`,
        recognise: (path) => {
          const endpoint = platformEndpointOf(path);
          return endpoint === null ? null : { endpoint, tokens: [] };
        },
        recorder,
      },
      flags.platformPort,
    ).catch(refusedPort));
  const url = `http://127.0.0.1:${toReceiver.port}`;
  const platformUrl = toPlatform && `http://127.0.0.1:${toPlatform.port}`;
  print(
    output,
    { status: 'recording', to: flags.to, url, platformUrl },
    [
      `Recording to ${printable(flags.to)} (Ctrl-C stops)`,
      `  for the platform: ${url}, with the same path as the receiver`,
      platformUrl
        ? `  for the receiver: PLATFORM_BASE_URL=${platformUrl}`
        : '  replies are not recorded: give --platform-base-url',
    ].join('\n'),
  );
  const signal = await stopSignal;
  await Promise.all([toReceiver.close(), toPlatform?.close()]);
  await recorder.close();
  print(output, { status: 'stopped', signal }, `${signal}: stopped.`);
  return EXIT.ok;
}

function refusedPort(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  throw new UsageError(`cannot listen (${code}). Choose other ports with --port and --platform-port.`);
}
