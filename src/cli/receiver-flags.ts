import { type Command, Option } from 'commander';
import type { ReceiverTarget } from '../doctor/index.js';
import type { WebhookCredentials } from '../simulator/sending/index.js';
import { UsageError } from './run-command.js';

/** What the command line says of a receiver's credentials. */
export interface ReceiverFlags {
  readonly username?: string;
  readonly secret?: string;
  readonly token?: string;
  readonly handoffAuth?: string;
  readonly handoffUrl?: string;
}

/** How the flags are explained. */
export const CREDENTIALS_HELP = `
Credentials:
  Messages carry the webhook username and secret of the agent's settings: the username alone as Bearer, both as
  Basic. Handoff requests carry nothing unless --handoff-auth says otherwise, since known deployments send none:
    webhook         the same as messages
    bearer:<token>  Authorization: Bearer <token>
    path:<token>    a segment of the path, like --token
    none            nothing
  Other users of a machine can see command lines: give secrets in the environment.`;

/** Adds the flags for credentials. */
export function addReceiverFlags(command: Command): Command {
  return command
    .addOption(new Option('--username <name>', 'the webhook username').env('WEBHOOK_USERNAME'))
    .addOption(new Option('--secret <secret>', 'the webhook secret, if one is set').env('WEBHOOK_SECRET'))
    .option('--token <token>', 'the token in the path of the handoff endpoints: <url>/<token>/chat')
    .addOption(
      new Option('--handoff-auth <choice>', 'what handoff requests carry; see below').env('HANDOFF_AUTH'),
    );
}

/** The receiver that the flags describe. */
export function targetOf(url: string, flags: ReceiverFlags): ReceiverTarget {
  for (const name of ['username', 'secret', 'token', 'handoffAuth'] as const) {
    if (flags[name]?.trim() === '')
      throw new UsageError(`${NAMES[name]} is empty. Give it a value, or leave it out.`);
  }
  const { username, secret, handoffUrl } = flags;
  if (secret !== undefined && username === undefined) {
    throw new UsageError('a secret is sent together with a username. Give --username, too.');
  }
  const message: WebhookCredentials = { username, secret };
  const { handoff, token } = readHandoffAuth(flags.handoffAuth ?? 'none', message);
  return { url, handoffUrl, token: flags.token ?? token, message, handoff };
}

const NAMES = {
  username: '--username (WEBHOOK_USERNAME)',
  secret: '--secret (WEBHOOK_SECRET)',
  token: '--token',
  handoffAuth: '--handoff-auth (HANDOFF_AUTH)',
} as const;

/** The value may hold a token, so it is never part of a complaint. */
function readHandoffAuth(
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
