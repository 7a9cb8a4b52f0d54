import { type AdapterCall, AdapterError, type AdapterErrorKind } from '../../bridge/index.js';

/** What the SDK and the libraries below it put on errors. */
interface SdkError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly message?: unknown;
  readonly response?: { readonly status?: unknown };
  readonly retryAfter?: unknown;
  readonly retryAfterMs?: unknown;
  readonly data?: { readonly error?: unknown };
  readonly originalError?: unknown;
  readonly original?: unknown;
  readonly cause?: unknown;
}

/** The SDK does not tell its concurrency; how messages come does. */
export const WRONG_CONCURRENCY =
  "the Chat makes messages wait for one another, and can lose replies of agents. Create it with concurrency: 'concurrent'; handoff-kit keeps their order";

/** A message came while another one was handled, and the SDK dropped it. */
const DROPPED_CODE = 'LOCK_FAILED';

/** The SDK's own codes. `NETWORK_ERROR` is not listed: it covers every status that an adapter of the SDK does not know. */
const KIND_OF_CODE: Readonly<Record<string, AdapterErrorKind>> = {
  RATE_LIMITED: 'rate-limited',
  slack_webapi_rate_limited_error: 'rate-limited',
  AUTH_FAILED: 'auth',
  PERMISSION_DENIED: 'auth',
  NOT_FOUND: 'gone',
  VALIDATION_ERROR: 'invalid',
  NOT_IMPLEMENTED: 'invalid',
};

/** Slack answers 200 with an error in the body. */
const KIND_OF_SLACK_ERROR: readonly (readonly [RegExp, AdapterErrorKind])[] = [
  [/^ratelimited$/, 'rate-limited'],
  [/auth|token|account_inactive|missing_scope|not_in_channel|restricted|no_permission|access_denied/, 'auth'],
  [/^(channel|thread|message)_not_found$|^is_archived$/, 'gone'],
  [/^(internal_error|fatal_error|service_unavailable|request_timeout)$/, 'transient'],
];

function kindOfStatus(status: number): AdapterErrorKind {
  if (status === 429) return 'rate-limited';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'gone';
  return status >= 400 && status < 500 && status !== 408 ? 'invalid' : 'transient';
}

/** The error and those it wraps, outermost first. */
function chainOf(error: unknown): SdkError[] {
  const chain: SdkError[] = [];
  for (let next = error; typeof next === 'object' && next !== null && chain.length < 5; ) {
    const each: SdkError = next;
    chain.push(each);
    next = each.originalError ?? each.original ?? each.cause;
  }
  return chain;
}

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && value >= 400 && value < 600;

function classify(chain: readonly SdkError[]): { readonly kind: AdapterErrorKind; readonly detail: string } {
  for (const { data, code } of chain) {
    const slackError = data?.error;
    if (typeof slackError === 'string' && /^[a-z_]+$/.test(slackError)) {
      const kind = KIND_OF_SLACK_ERROR.find(([pattern]) => pattern.test(slackError))?.[1] ?? 'invalid';
      return { kind, detail: slackError };
    }
    if (code === DROPPED_CODE) return { kind: 'transient', detail: `${DROPPED_CODE}: ${WRONG_CONCURRENCY}` };
    const kind = KIND_OF_CODE[String(code)];
    if (kind) return { kind, detail: String(code) };
  }
  const status = chain
    .flatMap((each) => [each.status, each.statusCode, each.response?.status, each.code])
    .find(isStatus);
  if (status !== undefined) return { kind: kindOfStatus(status), detail: `status ${status}` };
  const code = chain.map((each) => String(each.code)).find((each) => /^[A-Z_]{3,}$/.test(each));
  return { kind: 'transient', detail: code ?? 'no answer' };
}

/** How long to wait. Discord says it only in the body of its answer, which its error quotes. */
function retryAfterOf(chain: readonly SdkError[]): number | null {
  for (const { retryAfterMs, retryAfter, message } of chain) {
    if (typeof retryAfterMs === 'number') return retryAfterMs;
    if (typeof retryAfter === 'number') return retryAfter * 1_000;
    const quoted = /"retry_after":\s*([\d.]+)/.exec(String(message))?.[1];
    if (quoted !== undefined) return Math.ceil(Number(quoted) * 1_000);
  }
  return null;
}

/**
 * Makes an {@link AdapterError} of an error of the SDK. Without the original as its cause: errors of HTTP clients contain
 * headers with tokens, and the text that was sent.
 */
export function toAdapterError(platform: string, what: string, error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  const chain = chainOf(error);
  const { kind, detail } = classify(chain);
  const retryAfterMs = kind === 'rate-limited' ? retryAfterOf(chain) : null;
  return new AdapterError(kind, `${platform}: ${what} failed (${detail}).`, { retryAfterMs });
}

/** Gives up waiting when a call is aborted: the SDK takes no signal. What was begun may still take effect. */
export function untilAborted<Result>(
  { signal }: AdapterCall,
  platform: string,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new AdapterError('transient', `${platform}: ${what} was aborted.`));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
}
