import { isLoopback, type ReceiverTarget, redactSecrets } from '../../doctor/index.js';
import { printable } from '../../standalone/index.js';
import { confirm, type Terminal } from '../confirm.js';

/** Says beforehand what an examination sends, and to whom. */
export function announcement(target: ReceiverTarget): string {
  const urls = [target.url, ...(target.handoffUrl ? [target.handoffUrl] : [])];
  return [
    `The doctor sends real events to ${printable(redactSecrets(urls.join(' and '), target))}:`,
    '  about 200 requests; about 30 messages of an agent and 20 handoffs reach whoever answers there.',
    '  Their conversation ids begin with "doctor-", and every handoff that it opens it closes again.',
  ].join('\n');
}

/** Whether to go ahead: at once on this machine or with `yes`, else when the person at the terminal says so. */
export async function hasConsent(
  target: ReceiverTarget,
  yes: boolean,
  terminal?: Terminal,
): Promise<boolean> {
  const urls = [target.url, target.handoffUrl ?? target.url];
  return confirm('Send real events to another machine?', yes || urls.every(isLoopback), terminal);
}
