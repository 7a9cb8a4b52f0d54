import { createInterface } from 'node:readline/promises';
import { UsageError } from './run-command.js';

/** Where a person can be asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Asks the person at the terminal; `yes` answers for them. Where nobody can be asked, that is wrong use. */
export async function confirm(
  question: string,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  if (yes) return true;
  if (!input.isTTY || !output.isTTY) {
    throw new UsageError(
      `this asks first, and there is no terminal to ask at: ${question} Give --yes to go ahead.`,
    );
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
