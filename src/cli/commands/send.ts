import { type Command, Option } from 'commander';
import { CLOSE_TYPES } from '../../protocol/index.js';
import type { OutputFlags } from '../output.js';
import { parseTime, parseUrl } from '../parse-flags.js';
import { addReceiverFlags, CREDENTIALS_HELP } from '../receiver-flags.js';
import { addOutputFlags, runCommand } from '../run-command.js';
import type { SendFlags } from '../send/send.js';
import { PROBED, SENDABLE, type Sendable } from '../send/sendable.js';

const FLAGS = {
  text: new Option('--text <text>', 'what is said'),
  conversation: new Option('--conversation <id>', 'the id of the conversation; default a new one'),
  messageId: new Option('--message-id <id>', 'the id of the message; default a new one'),
  user: new Option('--user <id>', 'user_id'),
  anonymous: new Option('--anonymous <id>', 'anonymous_id'),
  email: new Option('--email <address>', "the user's address"),
  phone: new Option('--phone <number>', "the user's number"),
  agent: new Option('--agent <id>', 'bot_id'),
  type: new Option('--type <type>', 'why it ended; default USER_CLOSED').choices(CLOSE_TYPES),
  at: new Option('--at <place>', 'what is tested; "handoff" is the URL the handoff endpoints are below')
    .choices(PROBED)
    .default('message'),
} as const;

interface Kind {
  readonly summary: string;
  readonly flags: readonly (keyof typeof FLAGS)[];
  readonly example: string;
}

const KINDS: Readonly<Record<Sendable, Kind>> = {
  message: {
    summary: "an agent's answer, to the message webhook itself",
    flags: ['text', 'conversation', 'messageId', 'user', 'anonymous'],
    example: "--username acme --text 'Your parcel is on its way.'",
  },
  establish: {
    summary: 'a handoff request, to <url>/conversation/establish',
    flags: ['text', 'conversation', 'user', 'anonymous', 'email', 'phone', 'agent'],
    example: "--token $TOKEN --conversation c-1 --text 'Where is my parcel?'",
  },
  chat: {
    summary: "a user's message during a handoff, to <url>/chat",
    flags: ['text', 'conversation'],
    example: "--token $TOKEN --conversation c-1 --text 'Are you there?'",
  },
  close: {
    summary: 'the notice that the user left, to <url>/conversation/close',
    flags: ['conversation', 'type'],
    example: '--token $TOKEN --conversation c-1 --type TIMEOUT',
  },
  probe: {
    summary: 'an availability test, to the message webhook or what --at names',
    flags: ['at', 'conversation'],
    example: '--at handoff --token $TOKEN',
  },
};

const MORE_HELP = `
Every kind has its own flags: handoff-kit send establish --help

Examples:
  One whole handoff:
    $ handoff-kit send establish --to http://127.0.0.1:3000/webhook --conversation c-1 --text 'Help!'
    $ handoff-kit send chat --to http://127.0.0.1:3000/webhook --conversation c-1 --text 'Are you there?'
    $ handoff-kit send close --to http://127.0.0.1:3000/webhook --conversation c-1

  A body from a file, or from another program:
    $ handoff-kit send message --to https://my.host/webhook --username acme --body message.json
    $ jq '.text = "Hi"' body.json | handoff-kit send chat --to https://my.host/webhook --body -

Exit codes:
  0  the answer is what the specification asks for
  1  it is not, or none came; every difference is named
  2  wrong use: nothing was sent`;

const helpOf = (kind: Sendable): string => `${CREDENTIALS_HELP}

Example:
  $ handoff-kit send ${kind} --to http://127.0.0.1:3000/webhook \\
      ${KINDS[kind].example}

Exit codes: 0 the answer is what the specification asks for, 1 it is not, 2 wrong use`;

/** `send`: one delivery to any receiver. */
export function define(command: Command): void {
  command
    .description(
      'Sends one well-formed delivery to any receiver, and holds the answer against the specification.',
    )
    .addHelpText('after', MORE_HELP);
  for (const kind of SENDABLE) addKind(command, kind);
}

function addKind(parent: Command, kind: Sendable): void {
  const { summary, flags } = KINDS[kind];
  const command = parent
    .command(kind)
    .summary(summary)
    .description(`Sends ${summary}.`)
    .requiredOption(
      '--to <url>',
      "the developer's URL: the message webhook, with the handoff endpoints below it",
      parseUrl,
    );
  for (const flag of flags) command.addOption(FLAGS[flag]);
  command
    .addOption(
      new Option('--body <file>', 'a JSON file with the whole body, "-" for standard input').conflicts(
        flags.filter((flag) => flag !== 'at'),
      ),
    )
    .option('--path <path>', 'a path below --to (and the token) in place of the usual one')
    .addOption(
      new Option('--timeout <time>', 'how long to wait for the answer')
        .argParser(parseTime)
        .default(10_000, '10s'),
    );
  addOutputFlags(addReceiverFlags(command))
    .addHelpText('after', helpOf(kind))
    .action((given: SendFlags & OutputFlags) =>
      runCommand(given, async (output) => {
        const { send } = await import('../send/send.js');
        return send(kind, given, output);
      }),
    );
}
