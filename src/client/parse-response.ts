import {
  type ConnectionFailure,
  type HttpAnswer,
  type HttpInterruption,
  type HttpResult,
  quoteLargeIntegers,
  readRetryAfter,
} from '../internal/index.js';
import { isFailureBody, PLATFORM_CODES, ValidationError } from '../protocol/index.js';
import type { EndpointRules } from './options.js';
import type { PlatformErrorCode, PlatformErrorDetails } from './platform-error.js';
import { readPlatformMessage, type SentRequest } from './platform-message.js';

/** The call that a response belongs to. */
interface ResponseSpec<Value> {
  readonly endpoint: EndpointRules;
  /** The platform's origin, for error messages. */
  readonly origin: string;
  /** Its content must not appear in the platform's quoted message. */
  readonly sent: SentRequest;
  /** The caller's rule for 2xx answers, or `null`. */
  readonly isFailure: ((body: unknown, status: number) => boolean) | null;
  /** Extracts the value from a successful answer; throws a `ValidationError` if it is missing. */
  readonly readBody: (body: unknown) => Value;
  readonly now: () => number;
}

export type CallResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: PlatformErrorDetails };

/** Turns an HTTP result into a value, or into a failure with advice. */
export function parseResponse<Value>(exchange: HttpResult, spec: ResponseSpec<Value>): CallResult<Value> {
  if (exchange.kind === 'answered') return parseAnswer(exchange, spec);
  const failure =
    'sent' in exchange ? interruptionFailure(exchange, spec) : connectionFailure(exchange, spec);
  return { ok: false, failure };
}

function parseAnswer<Value>(answer: HttpAnswer, spec: ResponseSpec<Value>): CallResult<Value> {
  const { status } = answer;
  const { body, isJson } = parseBody(answer.text);
  const failed = (failure: PlatformErrorDetails): CallResult<Value> => ({ ok: false, failure });
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess) return failed(refusal(answer, body, spec));
  if (answer.tooLarge) return failed(badAnswer(answer, body, TOO_LARGE, spec));
  if (
    spec.isFailure ? spec.isFailure(body, status) : !isJson || isFailureBody({ code: platformCodeOf(body) })
  ) {
    return failed(isJson ? refusal(answer, body, spec) : badAnswer(answer, body, NOT_JSON, spec));
  }
  try {
    return { ok: true, value: spec.readBody(body) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    if (isRefusal(body)) return failed(refusal(answer, body, spec));
    return failed(badAnswer(answer, body, `(${error.message}). ${NEWER}`, spec));
  }
}

/** An empty answer is an empty string. Text that is not JSON is kept for the caller's rule. */
function parseBody(text: string): { readonly body: unknown; readonly isJson: boolean } {
  if (text.trim() === '') return { body: '', isJson: true };
  try {
    return { body: JSON.parse(quoteLargeIntegers(text)), isJson: true };
  } catch {
    return { body: text, isJson: false };
  }
}

/** Whether an unexpected body looks like a refusal: its code does not mean success. */
function isRefusal(body: unknown): boolean {
  const code = platformCodeOf(body);
  return code !== null && code !== 0 && !(code >= 200 && code < 300);
}

const TWICE_OR_NEVER = 'it was not repeated. Check whether it did, and repeat it if not.';

const failureOf = (
  { name }: EndpointRules,
  code: PlatformErrorCode,
  problem: string,
  { outcome, retryable }: Pick<PlatformErrorDetails, 'outcome' | 'retryable'>,
): PlatformErrorDetails => ({ code, message: `${name}: ${problem}`, endpoint: name, outcome, retryable });

/** A failure after which the request may have taken effect. Only an idempotent call may be retried. */
function unknownOutcome(code: PlatformErrorCode, problem: string, { endpoint }: ResponseSpec<unknown>) {
  if (endpoint.idempotent) return failureOf(endpoint, code, problem, { outcome: 'unknown', retryable: true });
  const advice = `It may have taken effect: ${TWICE_OR_NEVER}`;
  return failureOf(endpoint, 'OUTCOME_UNKNOWN', `${problem} ${advice}`, {
    outcome: 'unknown',
    retryable: false,
  });
}

function interruptionFailure(
  { kind, sent }: HttpInterruption,
  spec: ResponseSpec<unknown>,
): PlatformErrorDetails {
  if (kind === 'aborted') return abortedFailure(spec.endpoint, sent ? 'unknown' : 'not-applied');
  if (sent) {
    const problem = `${spec.origin} did not answer in time. Check that the platform is up, or raise the time limit.`;
    return unknownOutcome('PLATFORM_TIMEOUT', problem, spec);
  }
  const problem =
    'the headers option took too long, and nothing was sent. Make it faster, or raise the time limit.';
  return failureOf(spec.endpoint, 'PLATFORM_TIMEOUT', problem, { outcome: 'not-applied', retryable: true });
}

export function abortedFailure(
  endpoint: EndpointRules,
  outcome: PlatformErrorDetails['outcome'],
): PlatformErrorDetails {
  const effect = outcome === 'unknown' ? 'The request may have taken effect.' : 'Nothing took effect.';
  return failureOf(endpoint, 'ABORTED', `aborted by the caller. ${effect}`, { outcome, retryable: false });
}

function connectionFailure(
  { kind, errorCode }: ConnectionFailure,
  spec: ResponseSpec<unknown>,
): PlatformErrorDetails {
  const reason = errorCode ?? 'no error code';
  if (kind === 'lost') {
    const problem = `the connection to ${spec.origin} broke before the answer was complete (${reason}).`;
    return unknownOutcome('CONNECTION_LOST', problem, spec);
  }
  const advice =
    kind === 'untrusted'
      ? 'TLS could not be set up. Check that the base URL has the right scheme and host, and that Node trusts its certificate (NODE_EXTRA_CA_CERTS).'
      : 'Check the base URL, the network and that the platform is up.';
  const problem = `cannot reach ${spec.origin} (${reason}); nothing was sent. ${advice}`;
  return failureOf(spec.endpoint, 'PLATFORM_UNREACHABLE', problem, {
    outcome: 'not-applied',
    retryable: kind === 'unreachable',
  });
}

function refusal(answer: HttpAnswer, body: unknown, spec: ResponseSpec<unknown>): PlatformErrorDetails {
  const { status } = answer;
  const platformCode = platformCodeOf(body);
  const effectiveStatus = meantStatus(status, platformCode);
  const code = refusalCode(effectiveStatus, platformCode);
  const figures = `HTTP ${status}${platformCode === null ? '' : `, code ${platformCode}`}`;
  const problem = `${spec.origin} refused (${figures}): ${adviceFor(effectiveStatus, platformCode)}`;
  const known = {
    status,
    platformCode,
    platformMessage: readPlatformMessage(body, spec.sent),
    retryAfterMs: readRetryAfter(answer.retryAfter, spec.now()),
  };
  const isUnavailable =
    effectiveStatus === 503 && !isInternalError(platformCode) && !RESET_BY_GATEWAY.test(answer.text);
  if (code === 'PLATFORM_FAILED' && !isUnavailable) {
    return { ...unknownOutcome(code, problem, spec), ...known };
  }
  const retryable = code === 'RATE_LIMITED' || code === 'PLATFORM_FAILED';
  return { ...failureOf(spec.endpoint, code, problem, { outcome: 'not-applied', retryable }), ...known };
}

/**
 * HTTP defines 503 as "unable to handle the request", so it had no effect. Envoy also sends 503 when its connection to
 * the platform broke, which may have been after the platform had the request.
 */
const RESET_BY_GATEWAY = /reset before headers/;

/** Some platforms answer 200 and put the status into the body. */
function meantStatus(status: number, platformCode: number | null): number {
  const isInBody = status < 300 && platformCode !== null && platformCode >= 400 && platformCode < 600;
  return isInBody ? platformCode : status;
}

const isInternalError = (platformCode: number | null): boolean =>
  platformCode !== null && platformCode >= 50_000 && platformCode < 60_000;

/** The platform's code takes precedence over the HTTP status, which the contract leaves open. */
function refusalCode(status: number, platformCode: number | null): PlatformErrorCode {
  if (platformCode === PLATFORM_CODES.AUTHENTICATION_FAILED) return 'PLATFORM_AUTH_FAILED';
  if (isInternalError(platformCode)) return 'PLATFORM_FAILED';
  if ((platformCode !== null && ADVICE.has(platformCode)) || isRedirect(status)) return 'PLATFORM_REFUSED';
  if (status === 401 || status === 403) return 'PLATFORM_AUTH_FAILED';
  if (status === 429) return 'RATE_LIMITED';
  return status >= 500 || status === 408 ? 'PLATFORM_FAILED' : 'PLATFORM_REFUSED';
}

const NEWER = 'The platform may have changed its API: look for a newer version of this package.';
const ELSEWHERE = 'Check that the base URL is the platform itself and not a proxy or a web page.';
const TOO_LARGE = `(it is too large). ${ELSEWHERE}`;
const NOT_JSON = `(it is not JSON). ${ELSEWHERE}`;

/** A success status whose content does not match the contract. */
function badAnswer(
  { status }: HttpAnswer,
  body: unknown,
  why: string,
  { endpoint, origin, sent }: ResponseSpec<unknown>,
): PlatformErrorDetails {
  const effect = endpoint.idempotent ? 'repeating it does no harm.' : TWICE_OR_NEVER;
  const problem = `${origin} answered HTTP ${status}, but the answer cannot be read ${why} The call may have taken effect: ${effect}`;
  return {
    ...failureOf(endpoint, 'BAD_ANSWER', problem, { outcome: 'unknown', retryable: false }),
    status,
    platformCode: platformCodeOf(body),
    platformMessage: readPlatformMessage(body, sent),
  };
}

/** The platform's code in a body, sent as a number or as digits; `null` if there is none. */
function platformCodeOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('code' in body)) return null;
  const { code } = body;
  const number = typeof code === 'string' && /^-?\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

/** The meaning of each error code of the platform, and the remedy. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [
    PLATFORM_CODES.PARAMETER_ERROR,
    "a parameter is wrong. Check the request against the endpoint's parameters, ids and file addresses first.",
  ],
  [
    PLATFORM_CODES.INTERNAL_ERROR,
    "it had an internal error. Try later; if it persists, ask the platform's support.",
  ],
  [
    PLATFORM_CODES.AUTHENTICATION_FAILED,
    'it does not accept the API key. Copy the key again from the API key page of the bot, and check that the base URL is the data centre of that bot.',
  ],
  [PLATFORM_CODES.BOT_DELETED, "this API key's bot was deleted. Use another bot's key."],
  [
    PLATFORM_CODES.CONVERSATION_NOT_FOUND,
    'the conversation does not exist. Pass the conversation_id from the handoff request; bot messages have other ids.',
  ],
  [
    PLATFORM_CODES.CONVERSATION_MISMATCH,
    'the conversation belongs to another bot or user. Use the API key of the bot that handed it over.',
  ],
  [
    PLATFORM_CODES.API_DISABLED,
    'the API is switched off for this bot. Switch it on in its integration settings.',
  ],
  [PLATFORM_CODES.OUT_OF_CREDITS, 'the account is out of credits. Top it up.'],
  [PLATFORM_CODES.OUT_OF_CREDITS_ALSO, 'the account is out of credits. Top it up.'],
]);

function adviceFor(status: number, platformCode: number | null): string {
  const known = platformCode === null ? undefined : ADVICE.get(platformCode);
  const advice = known ?? adviceForStatus(status, platformCode);
  if (advice) return advice;
  return platformCode === null
    ? "check the request against the endpoint's parameters."
    : "look the code up in the platform's error list.";
}

function adviceForStatus(status: number, platformCode: number | null): string | null {
  if (isRedirect(status)) {
    return 'it redirects to another address, which would get the API key, so redirects are not followed. Set the base URL to the final address.';
  }
  if (status === 401 || status === 403) {
    return 'it does not accept the credentials. Check the API key, and the headers option if this endpoint needs another header.';
  }
  // An error code comes from the platform itself, so the endpoint exists.
  if ((status === 404 || status === 405) && (platformCode === null || platformCode === status)) {
    return 'there is no such endpoint. Check that the base URL is the address before "/v1".';
  }
  if (status === 408) return 'it did not receive the request in time. Try later.';
  if (status === 429) return 'it received too many requests. Wait and send fewer.';
  if (status === 413) return 'the request is too large. Send it in several parts.';
  if (status === 503) return 'it is temporarily unavailable. Try later.';
  if (status >= 500) return 'it failed. Try later.';
  return null;
}

/** A `fetch` that hides redirects reports the status 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}
