import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { HANDOFF_PATHS } from '../specification.js';

/** A receiver's answer is a short object; a longer answer is an error. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface JsonPostRequest {
  url: string;
  /** The serialized body. */
  payload: string;
  /** Headers besides `content-type` and `content-length`. */
  headers?: Readonly<Record<string, string>>;
  /** How long the whole exchange may take, in real time. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Breaks the connection in the middle of the body, or when the answer arrives. */
  breakAt?: 'body' | 'answer';
  /** HTTP agents that reuse connections. */
  httpAgents?: { readonly http: HttpAgent; readonly https: HttpAgent };
}

export interface JsonPostResult {
  /** The HTTP status; `null` if there was no answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The answer as text. */
  readonly text: string;
  readonly latencyMs: number;
  /** Why there was no answer; `null` if there was one. */
  readonly error: string | null;
}

/** Posts JSON once: without retries, without following redirects, and never rejects. */
export async function postJson(request: JsonPostRequest): Promise<JsonPostResult> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  try {
    return { ...(await exchange(request)), latencyMs: latencyMs(), error: null };
  } catch (error) {
    return {
      status: null,
      headers: {},
      text: '',
      latencyMs: latencyMs(),
      error: describeError(error, request),
    };
  }
}

function exchange(options: JsonPostRequest): Promise<Pick<JsonPostResult, 'status' | 'headers' | 'text'>> {
  const url = new URL(options.url);
  const payload = Buffer.from(options.payload);
  const isSecure = url.protocol === 'https:';
  const { signal, release } = createAbortSignal(options);
  return new Promise<Pick<JsonPostResult, 'status' | 'headers' | 'text'>>((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: isSecure ? options.httpAgents?.https : options.httpAgents?.http,
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

/** The abort signal of one request. Released afterwards, because the caller's signal may outlive it. */
function createAbortSignal({ timeoutMs, signal }: JsonPostRequest) {
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
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'the receiver closed the connection without an answer',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
};

function describeError(error: unknown, { timeoutMs, signal }: JsonPostRequest): string {
  // Not instanceof: Jest runs tests in another realm, where Node's errors are not instances of Error.
  if (!isErrorLike(error)) return 'failed';
  if (error.name === 'AbortError')
    return signal?.aborted ? 'the simulator was closed' : `no answer within ${timeoutMs} ms`;
  const code = typeof error.code === 'string' ? error.code : '';
  // Node's messages can contain header values, so only known texts and codes are passed on.
  return ERROR_TEXTS[code] ?? (code || error.message);
}

function isErrorLike(value: unknown): value is { name: string; message: string; code?: unknown } {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}

/** The credentials of a webhook. */
export interface WebhookCredentials {
  username?: string | undefined;
  secret?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The headers for a webhook's credentials: `Bearer <username>`, HTTP Basic if there is a secret, or none. Both are UTF-8,
 * which Node takes as a string of bytes.
 */
export function credentialHeaders({ username, secret, headers }: WebhookCredentials): Record<string, string> {
  const lowered = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  const customHeaders = Object.fromEntries(lowered);
  if (username === undefined) return customHeaders;
  if (secret === undefined) {
    return { ...customHeaders, authorization: Buffer.from(`Bearer ${username}`).toString('latin1') };
  }
  const encoded = Buffer.from(`${username}:${secret}`).toString('base64');
  return { ...customHeaders, authorization: `Basic ${encoded}` };
}

/** Wrong credentials of the same shape. A webhook without credentials gets a wrong Bearer username. */
export function wrongCredentials({ username, secret, headers }: WebhookCredentials): WebhookCredentials {
  return {
    username: secret === undefined ? 'wrong-username' : username,
    secret: secret === undefined ? undefined : 'wrong-secret',
    headers: Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, 'wrong'])),
  };
}

/**
 * The URL of a handoff endpoint. Its path is appended to the component's base URL unchanged, so that a trailing slash
 * yields `//chat`. The base URL's query is kept.
 */
export function handoffUrl(base: string, endpoint: keyof typeof HANDOFF_PATHS): string {
  const [, address = base, rest = ''] = /^([^?#]*)(.*)$/s.exec(base) ?? [];
  return address + HANDOFF_PATHS[endpoint] + rest;
}
