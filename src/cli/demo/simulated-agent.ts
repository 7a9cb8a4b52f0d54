import { HandoffKitError } from '../../internal/index.js';
import type { SimulatedAgent } from '../../simulator/index.js';

/** Where a receiver is, and what it is called with. */
export interface ReceiverFlags {
  readonly receiver: string;
  readonly username?: string;
  readonly secret?: string;
  readonly token?: string;
  readonly handoffUsername?: string;
  readonly handoffSecret?: string;
}

/** The only human-service component that `simulate` has. */
export const COMPONENT_ID = 'desk';

/** The agent whose webhooks are the receiver's, as a person would type them into the platform's settings. */
export function agentFor(flags: ReceiverFlags, apiKey: string): SimulatedAgent {
  needsUsername(flags.username, flags.secret, '--username');
  needsUsername(flags.handoffUsername, flags.handoffSecret, '--handoff-username');
  return {
    id: 'agent',
    name: 'Agent',
    apiKey,
    message: { url: flags.receiver, username: flags.username, secret: flags.secret },
    humanServices: [
      {
        componentId: COMPONENT_ID,
        componentName: 'Desk',
        url: handoffsUrl(flags.receiver, flags.token),
        username: flags.handoffUsername,
        secret: flags.handoffSecret,
      },
    ],
  };
}

/** The base URL of the handoff endpoints, without the token. */
export function shownHandoffsUrl({ receiver, token }: ReceiverFlags): string {
  return handoffsUrl(receiver, token && '<token>').replace('%3Ctoken%3E', '<token>');
}

/** A query of the receiver's URL stays. */
function handoffsUrl(receiver: string, token: string | undefined): string {
  if (token === undefined) return receiver;
  const url = new URL(receiver);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${token}`;
  return url.href;
}

function needsUsername(username: string | undefined, secret: string | undefined, flag: string): void {
  if (secret === undefined || username !== undefined) return;
  throw new HandoffKitError('WRONG_USE', `needs ${flag}, too: a secret is sent together with a username.`);
}
