import { isProbe } from '../protocol/index.js';
import { decodeBody, parseJson } from './parse-json.js';
import { type RequestWithBody, readStream } from './read-body.js';
import { isRefusal } from './refusal.js';

/** A probe is small; larger bodies are not read. */
const PEEK = { maxBytes: 16_384, readTimeoutMs: 2_000 };

/**
 * Whether a request that was refused for its credentials was an availability probe: the operator needs to know, since
 * the platform now shows the webhook as unreachable. Read after the answer, for the log alone.
 */
export async function wasProbe(request: RequestWithBody, maxDepth: number): Promise<boolean> {
  const body = request.readableDidRead ? (request.rawBody ?? request.body) : await readStream(request, PEEK);
  const read = isRefusal(body) ? body : decodeBody(body);
  if (isRefusal(read)) return false;
  const json = parseJson(read, maxDepth);
  return !isRefusal(json) && isProbe(json);
}
