import { type Command, Option } from 'commander';
import { CLOSE_TYPES } from '../../protocol/index.js';
import { addReceiverFlags, CREDENTIALS_HELP, parseDuration } from '../flags.js';
import { addOutputFlags, type OutputFlags, runCommand } from '../output.js';
import type { RequestKind, SendFlags } from '../send-event.js';

const FLAGS = {
  text: new Option('--text <text>', 'the text of the message'),
  conversation: new Option('--conversation <id>', 'the id of the conversation; default a new one'),
  messageId: new Option('--message-id <id>', 'the id of the message; default a new one'),
  user: new Option('--user <id>', 'user_id'),
  anonymous: new Option('--anonymous <id>', 'anonymous_id'),
  email: new Option('--email <address>', "the user's address"),
  phone: new Option('--phone <number>', "the user's number"),
  bot: new Option('--bot <id>', 'bot_id'),
  type: new Option('--type <type>', 'the reason of the close; default USER_CLOSED').choices(CLOSE_TYPES),
  at: new Option('--at <endpoint>', 'the tested endpoint; "handoff" is the base URL of the handoff endpoints')
    .choices(['message', 'handoff', 'establish', 'chat', 'close'])
    .default('message'),
} as const;

interface KindInfo {
  readonly summary: string;
  readonly flags: readonly (keyof typeof FLAGS)[];
  readonly example: string;
}

const KINDS: Readonly<Record<RequestKind, KindInfo>> = {
  message: {
    summary: "a bot's answer, to the message webhook itself",
    flags: ['text', 'conversation', 'messageId', 'user', 'anonymous'],
    example: "--webhook-username acme --text 'Your parcel is on its way.'",
  },
  establish: {
    summary: 'a handoff request, to <url>/conversation/establish',
    flags: ['text', 'conversation', 'user', 'anonymous', 'email', 'phone', 'bot'],
    example: "--handoff-token $TOKEN --conversation send-1 --text 'Where is my parcel?'",
  },
  chat: {
    summary: "a user's message during a handoff, to <url>/chat",
    flags: ['text', 'conversation'],
    example: "--handoff-token $TOKEN --conversation send-1 --text 'Are you there?'",
  },
  close: {
    summary: 'the notice that the user left, to <url>/conversation/close',
    flags: ['conversation', 'type'],
    example: '--handoff-token $TOKEN --conversation send-1 --type TIMEOUT',
  },
  probe: {
    summary: 'an availability test, to the message webhook or the endpoint of --at',
    flags: ['at', 'conversation'],
    example: '--at handoff --handoff-token $TOKEN',
  },
};

const MORE_HELP = `
Every kind has its own flags: handoff-kit send establish --help

Examples:
  One whole handoff. The simulator accepts replies to conversations whose ids begin with "send-":
    $ handoff-kit send establish --receiver-url http://127.0.0.1:3000/webhook --conversation send-1 --text 'Help!'
    $ handoff-kit send chat --receiver-url http://127.0.0.1:3000/webhook --conversation send-1 --text 'Are you there?'
    $ handoff-kit send close --receiver-url http://127.0.0.1:3000/webhook --conversation send-1

  A body from a file, or from another program:
    $ handoff-kit send message --receiver-url https://my.host/webhook --webhook-username acme --body message.json
    $ jq '.text = "Hi"' body.json | handoff-kit send chat --receiver-url https://my.host/webhook --body -

Exit codes:
  0  the answer conforms to the specification
  1  it does not, or there was no answer; every difference is listed
  2  wrong use: nothing was sent`;

const kindHelp = (kind: RequestKind): string => `${CREDENTIALS_HELP}

Example:
  $ handoff-kit send ${kind} --receiver-url http://127.0.0.1:3000/webhook \\
      ${KINDS[kind].example}

Exit codes: 0 the answer conforms to the specification, 1 it does not, 2 wrong use`;

/** `send`: one request to any receiver. */
export function define(command: Command): void {
  command
    .description(
      'Sends one well-formed request to any receiver, and compares the answer with the specification.',
    )
    .addHelpText('after', MORE_HELP);
  for (const kind of Object.keys(KINDS) as RequestKind[]) defineKind(command, kind);
}

function defineKind(parent: Command, kind: RequestKind): void {
  const { summary, flags } = KINDS[kind];
  const command = parent.command(kind).summary(summary).description(`Sends ${summary}.`);
  addReceiverFlags(command);
  for (const flag of flags) command.addOption(FLAGS[flag]);
  command
    .addOption(
      new Option('--body <file>', 'a JSON file with the whole body, "-" for standard input').conflicts(
        flags.filter((flag) => flag !== 'at'),
      ),
    )
    .option('--path <path>', 'a path below --receiver-url (and the token) instead of the standard one')
    .addOption(
      new Option('--timeout <time>', 'the limit for the answer')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    );
  addOutputFlags(command)
    .addHelpText('after', kindHelp(kind))
    .action((given: SendFlags & OutputFlags) =>
      runCommand(given, async (output) => {
        const { sendEvent } = await import('../send-event.js');
        return sendEvent(kind, given, output);
      }),
    );
}
