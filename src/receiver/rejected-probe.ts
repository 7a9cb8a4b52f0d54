import { isProbe } from '../protocol/index.js';
import { decodeBody, parseJson } from './parse-json.js';
import { createReadLimits, type RequestWithBody, readStream } from './read-body.js';
import { isRefusal } from './refusal.js';

/** A probe is small; nothing larger is looked at. */
const PEEK = createReadLimits(16_384, 2_000);

/**
 * Whether a request that was refused for its credentials was an availability test: its operator needs to know,
 * since the platform now shows the webhook as unreachable. Looked at after the answer, and for the log alone.
 */
export async function wasProbe(request: RequestWithBody, maxDepth: number): Promise<boolean> {
  const body = request.readableDidRead ? (request.rawBody ?? request.body) : await readStream(request, PEEK);
  const read = isRefusal(body) ? body : decodeBody(body);
  if (isRefusal(read)) return false;
  const json = parseJson(read, maxDepth);
  return !isRefusal(json) && isProbe(json);
}
