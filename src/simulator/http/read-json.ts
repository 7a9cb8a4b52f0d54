import type { IncomingMessage } from 'node:http';
import { parameterError } from '../error.js';

/** Bytes of a request that are read. */
const LONGEST_BODY = 2 * 1024 * 1024;

/** Reads a request's body as text; what cannot be read is the caller's mistake (40000). */
export async function readText(request: IncomingMessage): Promise<string> {
  if (request.headers['content-encoding']) throw parameterError('body: expected no Content-Encoding', 415);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_BODY) throw parameterError(`body: expected at most ${LONGEST_BODY} bytes`, 413);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

/** Whether a request says that its body is JSON. */
export function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** Parses a JSON text; what is no JSON is the caller's mistake (40000). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw parameterError('body: expected JSON');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw parameterError('body: expected UTF-8');
  }
}
