import { readFile } from 'node:fs/promises';
import { UsageError } from './run-command.js';

/** Reads a file, or standard input where the path is `-`. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readInput();
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`cannot read ${path} (${code}). Check the path; "-" reads standard input.`, {
      cause: error,
    });
  }
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}

/** Reads JSON, or says which file it is not in. */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = path === '-' ? 'standard input' : path;
    throw new UsageError(`${where} is not JSON. Check its quotes and commas.`, { cause: error });
  }
}
