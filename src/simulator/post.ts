import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';

/** Bytes of an answer that are read; a receiver's answer is a short object. */
const LONGEST_ANSWER = 256 * 1024;

/** A body to post. */
export interface PostRequest {
  url: string;
  /** The body, ready to be sent. */
  payload: string;
  /** Headers besides `content-type` and `content-length`. */
  headers?: Readonly<Record<string, string>>;
  /** How long the whole exchange may take, in real time. */
  timeoutMs: number;
  /** Gives up early. */
  signal?: AbortSignal;
  /** Breaks the connection: in the middle of the body, or when the answer starts to come. */
  breakAt?: 'body' | 'answer';
  /** Connections to use again. */
  agents?: { readonly http: HttpAgent; readonly https: HttpAgent };
}

/** What came back. */
export interface PostResult {
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The answer as text. */
  readonly text: string;
  readonly latencyMs: number;
  /** Why there was no answer, in words. */
  readonly error: string | null;
}

/** Posts JSON once: no retry, no redirect followed, and never a throw. */
export async function postJson(request: PostRequest): Promise<PostResult> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  try {
    return { ...(await exchange(request)), latencyMs: latencyMs(), error: null };
  } catch (error) {
    return { status: null, headers: {}, text: '', latencyMs: latencyMs(), error: inWords(error, request) };
  }
}

function exchange(options: PostRequest): Promise<Pick<PostResult, 'status' | 'headers' | 'text'>> {
  const url = new URL(options.url);
  const payload = Buffer.from(options.payload);
  const secure = url.protocol === 'https:';
  const { signal, release } = giveUp(options);
  return new Promise<Pick<PostResult, 'status' | 'headers' | 'text'>>((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: secure ? options.agents?.https : options.agents?.http,
      signal,
      headers: { 'content-type': 'application/json', ...options.headers, 'content-length': payload.length },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      if (options.breakAt === 'answer') {
        request.destroy(new Error(DROPPED));
        return;
      }
      readText(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    if (options.breakAt === 'body') {
      request.write(payload.subarray(0, Math.ceil(payload.length / 2)), () => {
        request.destroy(new Error(DROPPED));
      });
      return;
    }
    request.end(payload);
  }).finally(release);
}

/** A signal for one exchange; released afterwards, since the caller's own may live as long as the program. */
function giveUp({ timeoutMs, signal }: PostRequest) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, timeoutMs);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  const release = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, release };
}

const DROPPED = 'the connection was dropped on purpose';

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'the receiver closed the connection without an answer',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
};

function inWords(error: unknown, { timeoutMs, signal }: PostRequest): string {
  // Not by instanceof: a test framework may run this in a realm of its own, where Node's errors are strangers.
  if (!isErrorLike(error)) return 'failed';
  if (error.name === 'AbortError')
    return signal?.aborted ? 'the simulator was closed' : `no answer within ${timeoutMs} ms`;
  const code = typeof error.code === 'string' ? error.code : '';
  // Node's own messages can carry a header's value, so only those written here are passed on.
  return WORDS[code] ?? (code || error.message);
}

function isErrorLike(value: unknown): value is { name: string; message: string; code?: unknown } {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}
