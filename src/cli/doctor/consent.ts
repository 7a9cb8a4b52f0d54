import { createInterface } from 'node:readline/promises';
import { isLoopback, type Target, withoutSecrets } from '../../doctor/index.js';
import { printable } from '../../standalone/index.js';
import { UsageError } from '../run-command.js';

/** Says beforehand what an examination sends, and to whom. */
export function announcement(target: Target): string {
  const urls = [target.url, ...(target.handoffUrl ? [target.handoffUrl] : [])];
  return [
    `The doctor sends real events to ${printable(withoutSecrets(urls.join(' and '), target))}:`,
    '  about 200 requests; about 30 messages of an agent and 20 handoffs reach whoever answers there.',
    '  Their conversation ids begin with "doctor-", and every handoff that it opens it closes again.',
  ].join('\n');
}

/** Where a person can be asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Whether to go ahead: at once on this machine or with `yes`, else when the person at the terminal says so. */
export async function hasConsent(
  target: Target,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const urls = [target.url, target.handoffUrl ?? target.url];
  if (yes || urls.every(isLoopback)) return true;
  if (!input.isTTY || !output.isTTY) {
    throw new UsageError('this URL is not on this machine. Give --yes to send real events there.');
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question('Go ahead? [y/N] ');
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
