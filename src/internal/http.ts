/** The part of `fetch` this package uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request, ready to be sent. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  /** Finds the headers; nothing is sent before it is done. */
  readonly headers: () => Promise<Headers>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The exchange was ended, by time or by the caller. */
export type HttpInterruption = {
  [End in DeadlineEnd]: {
    readonly kind: End;
    /** Whether the request may have been sent by then. */
    readonly sent: boolean;
  };
}[DeadlineEnd];

/** What one exchange came to. */
export type HttpExchange = HttpAnswer | HttpInterruption | ConnectionFailure;

/**
 * One request and its answer, without judgement: whatever the network does comes back as a value. Only an
 * error of the headers function is thrown, and nothing was sent then.
 */
export async function exchange(fetch: Fetch, request: OutgoingRequest): Promise<HttpExchange> {
  const deadline = createDeadline(request.timeoutMs, request.signal);
  let sent = false;
  try {
    const headers = await deadline.within(request.headers);
    const response = await deadline.within(() => {
      sent = true;
      return fetch(request.url, {
        method: request.method,
        headers,
        body: request.body,
        signal: deadline.signal,
        // Following would carry the API key to wherever the answer points.
        redirect: 'manual',
      });
    });
    return await deadline.within(() => readAnswer(response));
  } catch (error) {
    const ended = deadline.ended();
    if (ended) return { kind: ended, sent };
    if (!sent) throw error;
    return readConnectionFailure(error);
  } finally {
    deadline.clear();
  }
}

/** How a deadline ended what it watched. */
export type DeadlineEnd = 'timeout' | 'aborted';

/** A limit of time that the caller can also end. */
export interface Deadline {
  /** Aborts when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  /** How it ended, or `null` while it runs. */
  ended(): DeadlineEnd | null;
  /** Does a piece of work unless the deadline has ended, and rejects when it ends before the work is done. */
  within<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Stops the timer and lets go of the caller's signal. */
  clear(): void;
}

/**
 * Starts a deadline. It keeps its own account of who ended it, because a signal made by joining two does not
 * tell, and it holds a caller's long-lived signal no longer than one exchange takes.
 */
export function createDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let how: DeadlineEnd | null = null;

  const end = (reason: DeadlineEnd): void => {
    how ??= reason;
    controller.abort();
  };
  const abort = (): void => end('aborted');
  const cut = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  cut.catch(() => undefined);

  const timer = setTimeout(() => end('timeout'), timeoutMs);
  caller?.addEventListener('abort', abort, { once: true });
  if (caller?.aborted) abort();

  return {
    signal,
    ended: () => how,
    async within(work) {
      signal.throwIfAborted();
      return Promise.race([work(), cut]);
    },
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

/** An answer, read to its end or to the limit. */
export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  /** The `Retry-After` header, or `null`. */
  readonly retryAfter: string | null;
  /** The body as text; empty when it was too large. */
  readonly text: string;
  /** Whether the body went over the limit and was dropped. */
  readonly tooLarge: boolean;
}

/** Answers are short; a longer one is dropped before it can fill the memory. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Reads an answer as text, up to the limit. */
export async function readAnswer(response: Response): Promise<HttpAnswer> {
  const text = await readText(response);
  return {
    kind: 'answered',
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: text ?? '',
    tooLarge: text === null,
  };
}

async function readText(response: Response): Promise<string | null> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What a body says: its JSON where it is JSON, its text as it came where not. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** How long the other side asks to wait (seconds, or a date), in milliseconds; `null` when it does not say. */
export function readRetryAfter(header: string | null, now: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Why there is no answer, as far as `fetch` says. */
export interface ConnectionFailure {
  /** `unreachable`: nothing was sent. `untrusted`: nor will it be, until a certificate changes. `lost`: who knows. */
  readonly kind: 'unreachable' | 'untrusted' | 'lost';
  /** The error code of the system or of Node, or `null`. */
  readonly errorCode: string | null;
}

/** No connection came about, so no byte of the request was sent. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes such as ETIMEDOUT occur before and after a connection stands; the system call tells which it was. */
const CONNECTING_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** TLS ended before the request: the certificate was not accepted, or the other side does not speak TLS. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION_NUMBER)/;

/** A code as systems write it. Anything else might carry more than a code, and is not passed on. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Deeper chains of causes are not looked into. */
const DEEPEST_CAUSE = 5;

/** Reads what `fetch` threw, and keeps nothing of it but a code. */
export function readConnectionFailure(error: unknown): ConnectionFailure {
  const found = codedCause(error);
  if (!found) return { kind: 'lost', errorCode: null };
  if (UNTRUSTED.test(found.code)) return { kind: 'untrusted', errorCode: found.code };
  const unsent = NEVER_CONNECTED.has(found.code) || CONNECTING_CALLS.has(found.syscall);
  return { kind: unsent ? 'unreachable' : 'lost', errorCode: found.code };
}

function codedCause(error: unknown): { code: string; syscall: unknown } | null {
  let current = error;
  for (let depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
    if (typeof current !== 'object' || current === null) return null;
    const { code, syscall, cause } = current as { code?: unknown; syscall?: unknown; cause?: unknown };
    if (typeof code === 'string' && CODE.test(code)) return { code, syscall };
    current = cause;
  }
  return null;
}
