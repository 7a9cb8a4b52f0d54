import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { UsageError } from './output.js';

/** The streams of a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Asks at the terminal; `yes` skips the question. Without a terminal and without `yes` it is wrong use. */
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

/** Reads a file, or standard input when the path is `-`. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readStandardInput();
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`cannot read ${path} (${code}). Check the path; "-" reads standard input.`, {
      cause: error,
    });
  }
}

async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}

/** The name of an input in messages. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path);

/** Parses JSON; an error names the file. */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${inputName(path)} is not JSON. Check its quotes and commas.`, { cause: error });
  }
}
