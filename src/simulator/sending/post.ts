import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { HANDOFF_PATHS } from '../../protocol/index.js';

/** Bytes of an answer that are read; a receiver's answer is a short object. */
const LONGEST_ANSWER = 256 * 1024;

/** A body to post. */
export interface JsonPostRequest {
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
export interface JsonPostResult {
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
export async function postJson(request: JsonPostRequest): Promise<JsonPostResult> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  try {
    return { ...(await exchange(request)), latencyMs: latencyMs(), error: null };
  } catch (error) {
    return { status: null, headers: {}, text: '', latencyMs: latencyMs(), error: inWords(error, request) };
  }
}

function exchange(options: JsonPostRequest): Promise<Pick<JsonPostResult, 'status' | 'headers' | 'text'>> {
  const url = new URL(options.url);
  const payload = Buffer.from(options.payload);
  const secure = url.protocol === 'https:';
  const { signal, release } = giveUp(options);
  return new Promise<Pick<JsonPostResult, 'status' | 'headers' | 'text'>>((resolve, reject) => {
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
function giveUp({ timeoutMs, signal }: JsonPostRequest) {
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

function inWords(error: unknown, { timeoutMs, signal }: JsonPostRequest): string {
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

/** What a webhook is called with. */
export interface WebhookCredentials {
  username?: string | undefined;
  secret?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The headers that credentials become (5.3): `Bearer <username>`, or Basic when there is a secret, or none.
 */
export function credentialHeaders({ username, secret, headers }: WebhookCredentials): Record<string, string> {
  const lowered = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  const own = Object.fromEntries(lowered);
  if (username === undefined) return own;
  if (secret === undefined) return { ...own, authorization: `Bearer ${username}` };
  const encoded = Buffer.from(`${username}:${secret}`).toString('base64');
  return { ...own, authorization: `Basic ${encoded}` };
}

/** Credentials of the same shape that open nothing. A webhook without any gets a stranger's Bearer. */
export function wrongCredentials({ username, secret, headers }: WebhookCredentials): WebhookCredentials {
  return {
    username: secret === undefined ? 'wrong-username' : username,
    secret: secret === undefined ? undefined : 'wrong-secret',
    headers: Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, 'wrong'])),
  };
}

/** The URL of a handoff endpoint below a component's base URL; a query of the base stays. */
export function handoffUrl(base: string, endpoint: keyof typeof HANDOFF_PATHS): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + HANDOFF_PATHS[endpoint];
  return url.href;
}
