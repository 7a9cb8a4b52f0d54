/** The part of `fetch` that this package uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  /** Called once, before the request is sent. */
  readonly headers: () => Promise<Headers>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /**
   * Called before the request is passed to `fetch`, and again once it has a connection, right before the first byte:
   * the process may have been paused while it connected. `false` aborts the request.
   */
  readonly maySend?: (() => boolean) | undefined;
  /** The largest body of an answer. Default 1 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

/** The time limit or the caller ended the request. */
export type HttpInterruption = {
  [End in DeadlineEnd]: {
    readonly kind: End;
    /** Whether the request may have been sent. */
    readonly sent: boolean;
  };
}[DeadlineEnd];

export type HttpResult = HttpAnswer | HttpInterruption | ConnectionFailure;

/**
 * Sends one request and reads its answer. Network failures are returned as values; only an error of the headers
 * function is thrown, and then nothing was sent.
 *
 * @param fetch - instead of the global one, which is looked up at each call: instrumentation may be installed later
 */
export async function sendRequest(fetch: Fetch | undefined, request: OutgoingRequest): Promise<HttpResult> {
  const deadline = createDeadline(request.timeoutMs, request.signal);
  let sent = false;
  let isForbidden = false;
  const maySend = (): boolean => {
    isForbidden ||= request.maySend?.() === false;
    return !isForbidden;
  };
  try {
    const headers = await deadline.within(request.headers);
    if (!maySend()) return { kind: 'aborted', sent };
    const response = await deadline.within(() => {
      sent = true;
      return (fetch ?? globalThis.fetch)(request.url, {
        method: request.method,
        headers,
        body: request.body,
        // A fetch of the application may expect a text.
        ...(request.maySend && !fetch && checkedBody(request.body, headers, maySend)),
        signal: deadline.signal,
        // Following a redirect would send the API key to another address.
        redirect: 'manual',
      });
    });
    return await deadline.within(() => readAnswer(response, request.maxAnswerBytes));
  } catch (error) {
    if (isForbidden) return { kind: 'aborted', sent: false };
    const endedBy = deadline.endedBy();
    if (endedBy) return { kind: endedBy, sent };
    if (!sent) throw error;
    return readConnectionFailure(error);
  } finally {
    deadline.clear();
  }
}

/** A body that `fetch` asks for once it has a connection, before it writes the headers. */
function checkedBody(text: string | null, headers: Headers, maySend: () => boolean): RequestInit {
  if (text === null) return {};
  const bytes = Buffer.from(text);
  headers.set('content-length', String(bytes.byteLength));
  const body = async function* () {
    if (!maySend()) throw new Error('the request may not be sent any more');
    yield bytes;
  };
  return { body: body(), duplex: 'half' };
}

type DeadlineEnd = 'timeout' | 'aborted';

/**
 * Starts a time limit that the caller's signal can end early. Not with `AbortSignal.any`, which hides the signal that
 * aborted and keeps a listener on the caller's long-lived signal.
 */
function createDeadline(timeoutMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  let endedBy: DeadlineEnd | null = null;

  const end = (reason: DeadlineEnd): void => {
    endedBy ??= reason;
    controller.abort();
  };
  const abort = (): void => end('aborted');
  const whenEnded = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  whenEnded.catch(() => undefined);

  // After a pause of the process, timers run before answers are read that have arrived meanwhile. They count.
  const timer = setTimeout(() => setImmediate(end, 'timeout'), timeoutMs);
  caller?.addEventListener('abort', abort, { once: true });
  if (caller?.aborted) abort();

  return {
    signal,
    /** The cause of its end, or `null` while it runs. */
    endedBy: () => endedBy,
    /** Runs work unless the deadline has ended; rejects if the deadline ends first. */
    async within<Value>(work: () => Promise<Value>): Promise<Value> {
      signal.throwIfAborted();
      return Promise.race([work(), whenEnded]);
    },
    clear(): void {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  /** The `Retry-After` header, or `null`. */
  readonly retryAfter: string | null;
  /** The body as text; empty if it was too large. */
  readonly text: string;
  /** Whether the body exceeded the limit and was dropped. */
  readonly tooLarge: boolean;
}

const MAX_ANSWER_BYTES = 1024 * 1024;

async function readAnswer(response: Response, maxBytes = MAX_ANSWER_BYTES): Promise<HttpAnswer> {
  const text = await readText(response, maxBytes);
  return {
    kind: 'answered',
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: text ?? '',
    tooLarge: text === null,
  };
}

async function readText(response: Response, maxBytes: number): Promise<string | null> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Longer delays are mistakes, such as the time of day in seconds instead of a delay. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** Parses a `Retry-After` header (seconds or a date) to milliseconds; `null` if it is absent, invalid or over a day. */
export function readRetryAfter(header: string | null, now: number): number | null {
  const value = header?.trim() ?? '';
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  const delay = /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, date - now);
  return delay <= LONGEST_RETRY_AFTER_MS ? delay : null;
}

/** Why there is no answer, as far as `fetch` reports it. */
export interface ConnectionFailure {
  /** `unreachable` and `untrusted` (TLS failed): nothing was sent. `lost`: the request may have been sent. */
  readonly kind: 'unreachable' | 'untrusted' | 'lost';
  /** The error code of the operating system or of Node, or `null`. */
  readonly errorCode: string | null;
}

/** Without a connection no byte of the request was sent. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes such as ETIMEDOUT occur before and after connecting; the system call tells which. */
const CONNECTING_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** TLS failed before the request: an untrusted certificate, or a server without TLS. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION_NUMBER)/;

/** Other text could contain a secret and is not passed on. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

const MAX_CAUSE_DEPTH = 5;

/** `fetch` refuses some ports, such as 6000, and gives this reason without a code. */
const isBlockedPort = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';

/** Classifies an error of `fetch`. Of the error it keeps only the code. */
function readConnectionFailure(error: unknown): ConnectionFailure {
  const found = codedCause(error);
  if (isBlockedPort(error)) return { kind: 'unreachable', errorCode: 'BLOCKED_PORT' };
  if (!found) return { kind: 'lost', errorCode: null };
  if (UNTRUSTED.test(found.code)) return { kind: 'untrusted', errorCode: found.code };
  const unsent = NEVER_CONNECTED.has(found.code) || CONNECTING_CALLS.has(found.syscall);
  return { kind: unsent ? 'unreachable' : 'lost', errorCode: found.code };
}

function codedCause(error: unknown): { code: string; syscall: unknown } | null {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSE_DEPTH; depth += 1) {
    if (typeof current !== 'object' || current === null) return null;
    const { code, syscall, cause } = current as { code?: unknown; syscall?: unknown; cause?: unknown };
    if (typeof code === 'string' && CODE.test(code)) return { code, syscall };
    current = cause;
  }
  return null;
}
