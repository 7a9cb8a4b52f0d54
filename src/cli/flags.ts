import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ReceiverTarget } from '../doctor/index.js';
import type { WebhookCredentials } from '../simulator/sending/index.js';
import { HANDOFF_AUTH_KINDS, type SettingInfo } from '../standalone/index.js';
import { UsageError } from './output.js';

const MAX_PORT = 65_535;

/** Parses a port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError('Give a whole number from 0 to 65535; 0 takes any free port.');
}

/** Parses a duration such as 60s or 500ms into milliseconds. */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * (unit === 's' ? 1_000 : 1);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('Give a time with its unit, such as 60s or 500ms.');
}

/** Creates a parser of whole numbers from 1 to `max`. */
export const parseCount =
  (max: number) =>
  (text: string): number => {
    const count = Number(text);
    if (/^\d{1,9}$/.test(text) && count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${max}.`);
  };

/** Parses the URL of a receiver. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('Give an http or https URL, such as http://127.0.0.1:3000/webhook.');
  }
  if (url.username || url.password) {
    throw new InvalidArgumentError(
      'Give credentials with --webhook-username and --webhook-secret, not in the URL.',
    );
  }
  return url.href;
}

/** The flags that describe a receiver: its URL and its credentials. */
export interface ReceiverFlags {
  readonly receiverUrl?: string | undefined;
  readonly webhookUsername?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly handoffAuth?: string | undefined;
  readonly handoffToken?: string | undefined;
  readonly handoffUrl?: string | undefined;
}

/** The explanation of {@link addReceiverFlags} for the help. */
export const CREDENTIALS_HELP = `
Credentials:
  Messages carry the webhook username and secret of the bot's settings: the username alone as Bearer, both as
  Basic. Handoff requests carry nothing unless --handoff-auth says otherwise, since known platforms send none:
    path     --handoff-token as a segment of the path: <url>/<token>/chat; the default with a token
    bearer   --handoff-token as Authorization: Bearer <token>
    webhook  the same as messages
    none     nothing; the default without a token
  Each can be a variable of the environment or of the file .env, which serve reads too (env: its name). Other users of
  a machine can see command lines: give secrets there.`;

/** Adds the flags for a receiver's URL and credentials. */
export function addReceiverFlags(
  command: Command,
  parseReceiver: (text: string) => string = parseUrl,
): Command {
  return command
    .addOption(
      new Option('--receiver-url <url>', 'the URL of messages; the handoff endpoints are below it')
        .env('RECEIVER_URL')
        .argParser(parseReceiver),
    )
    .addOption(new Option('--webhook-username <name>', 'the webhook username').env('WEBHOOK_USERNAME'))
    .addOption(
      new Option('--webhook-secret <secret>', 'the webhook secret, if one is set').env('WEBHOOK_SECRET'),
    )
    .addOption(
      new Option('--handoff-auth <choice>', `${HANDOFF_AUTH_KINDS.join(', ')}; see below`).env(
        'HANDOFF_AUTH',
      ),
    )
    .addOption(new Option('--handoff-token <token>', 'the token of handoff requests').env('HANDOFF_TOKEN'));
}

/** The flag of a setting. */
export const settingOption = ({ flag, env, help }: SettingInfo): Option =>
  new Option(flag, `[${env}] ${help}`);

const FLAG_NAMES = {
  webhookUsername: '--webhook-username (WEBHOOK_USERNAME)',
  webhookSecret: '--webhook-secret (WEBHOOK_SECRET)',
  handoffToken: '--handoff-token (HANDOFF_TOKEN)',
  handoffAuth: '--handoff-auth (HANDOFF_AUTH)',
} as const;

/** The receiver's address, which has no default. */
export function receiverUrlOf({ receiverUrl }: ReceiverFlags): string {
  if (receiverUrl !== undefined) return receiverUrl;
  throw new UsageError(
    'the address of the receiver is missing. Give --receiver-url, or set RECEIVER_URL in the environment or in .env, such as http://127.0.0.1:3000/webhook.',
  );
}

/** The receiver that the flags describe. */
export function receiverTarget(flags: ReceiverFlags): ReceiverTarget {
  const url = receiverUrlOf(flags);
  const { webhookUsername: username, handoffUrl } = flags;
  // As for serve, an empty secret is no secret.
  const secret = flags.webhookSecret || undefined;
  const given = { ...flags, webhookSecret: secret };
  for (const name of ['webhookUsername', 'webhookSecret', 'handoffToken', 'handoffAuth'] as const) {
    if (given[name]?.trim() === '') {
      throw new UsageError(`${FLAG_NAMES[name]} is empty. Give it a value, or leave it out.`);
    }
  }
  if (secret !== undefined && username === undefined) {
    throw new UsageError('a secret is sent together with a username. Give --webhook-username, too.');
  }
  const message: WebhookCredentials = { username, secret };
  return { url, handoffUrl, message, ...handoffCredentials(flags, message) };
}

/** The values may hold a token, so error messages never quote them. */
function handoffCredentials(
  flags: ReceiverFlags,
  message: WebhookCredentials,
): Pick<ReceiverTarget, 'handoff' | 'token'> {
  const { kind, token } = handoffAuthOf(flags);
  if (kind !== 'path' && kind !== 'bearer') {
    if (kind === 'webhook' && message.username === undefined) {
      throw new UsageError(
        `${FLAG_NAMES.handoffAuth} is webhook, which needs the credentials of messages. Give ${FLAG_NAMES.webhookUsername}.`,
      );
    }
    return { handoff: kind === 'webhook' ? message : {} };
  }
  if (token === undefined)
    throw new UsageError(
      `${FLAG_NAMES.handoffAuth} is ${kind}, which needs a token. Give ${FLAG_NAMES.handoffToken}.`,
    );
  return kind === 'path' ? { handoff: {}, token } : { handoff: { username: token } };
}

function handoffAuthOf({ handoffAuth, handoffToken }: ReceiverFlags) {
  const kind = handoffAuth ?? (handoffToken === undefined ? 'none' : 'path');
  if (HANDOFF_AUTH_KINDS.some((known) => known === kind)) return { kind, token: handoffToken };
  throw new UsageError(`${FLAG_NAMES.handoffAuth} must be one of ${HANDOFF_AUTH_KINDS.join(', ')}.`);
}
