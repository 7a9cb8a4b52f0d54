import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ReceiverTarget } from '../doctor/index.js';
import type { WebhookCredentials } from '../simulator/sending/index.js';
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
    throw new InvalidArgumentError('Give credentials with --username and --secret, not in the URL.');
  }
  return url.href;
}

/** The flags that describe a receiver's credentials. */
export interface ReceiverFlags {
  readonly username?: string;
  readonly secret?: string;
  readonly token?: string;
  readonly handoffAuth?: string;
  readonly handoffUrl?: string;
}

/** The explanation of {@link addReceiverFlags} for the help. */
export const CREDENTIALS_HELP = `
Credentials:
  Messages carry the webhook username and secret of the agent's settings: the username alone as Bearer, both as
  Basic. Handoff requests carry nothing unless --handoff-auth says otherwise, since known deployments send none:
    webhook         the same as messages
    bearer:<token>  Authorization: Bearer <token>
    path:<token>    a segment of the path, like --token
    none            nothing
  Other users of a machine can see command lines: give secrets in the environment.`;

/** Adds the flags for a receiver's credentials. */
export function addReceiverFlags(command: Command): Command {
  return command
    .addOption(new Option('--username <name>', 'the webhook username').env('WEBHOOK_USERNAME'))
    .addOption(new Option('--secret <secret>', 'the webhook secret, if one is set').env('WEBHOOK_SECRET'))
    .option('--token <token>', 'the token in the path of the handoff endpoints: <url>/<token>/chat')
    .addOption(
      new Option('--handoff-auth <choice>', 'the credentials of handoff requests; see below').env(
        'HANDOFF_AUTH',
      ),
    );
}

const FLAG_NAMES = {
  username: '--username (WEBHOOK_USERNAME)',
  secret: '--secret (WEBHOOK_SECRET)',
  token: '--token',
  handoffAuth: '--handoff-auth (HANDOFF_AUTH)',
} as const;

/** The receiver that the flags describe. */
export function receiverTarget(url: string, flags: ReceiverFlags): ReceiverTarget {
  for (const name of ['username', 'secret', 'token', 'handoffAuth'] as const) {
    if (flags[name]?.trim() === '') {
      throw new UsageError(`${FLAG_NAMES[name]} is empty. Give it a value, or leave it out.`);
    }
  }
  const { username, secret, handoffUrl } = flags;
  if (secret !== undefined && username === undefined) {
    throw new UsageError('a secret is sent together with a username. Give --username, too.');
  }
  const message: WebhookCredentials = { username, secret };
  const { handoff, token } = parseHandoffAuth(flags.handoffAuth ?? 'none', message);
  return { url, handoffUrl, token: flags.token ?? token, message, handoff };
}

/** The value may hold a token, so error messages never quote it. */
function parseHandoffAuth(
  choice: string,
  message: WebhookCredentials,
): { handoff: WebhookCredentials; token?: string } {
  if (choice === 'none') return { handoff: {} };
  if (choice === 'webhook' && message.username === undefined) {
    throw new UsageError('--handoff-auth webhook needs the credentials of messages. Give --username.');
  }
  if (choice === 'webhook') return { handoff: message };
  const [, kind, token] = /^(bearer|path):(.+)$/s.exec(choice) ?? [];
  if (kind === 'bearer' && token !== undefined) return { handoff: { username: token } };
  if (kind === 'path' && token !== undefined) return { handoff: {}, token };
  throw new UsageError('--handoff-auth must be webhook, bearer:<token>, path:<token> or none.');
}
