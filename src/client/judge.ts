import {
  type HttpAnswer,
  type ConnectionFailure,
  type HttpExchange,
  type HttpInterruption,
  parseJsonOrText,
  readRetryAfter,
} from '../internal/index.js';
import { SERVICE_CODES, ValidationError } from '../protocol/index.js';
import { adviceForAnswer, isKnownServiceCode, isRedirect } from './advice.js';
import type { EndpointRules } from './endpoints.js';
import { serviceCodeOf } from './service-code.js';
import type { ServiceErrorCode, ServiceErrorDetails } from './service-error.js';

/** What an exchange is judged by. */
export interface Bench<Value> {
  readonly endpoint: EndpointRules;
  /** The service's origin, to be named in messages. */
  readonly origin: string;
  readonly isFailure: (body: unknown, status: number) => boolean;
  /** Takes the value out of the body of a success; throws a `ValidationError` when it is not in there. */
  readonly read: (body: unknown) => Value;
  readonly now: () => number;
}

/** A success with its value, or a failure with everything there is to say. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: ServiceErrorDetails };

/** Says what an exchange means for the caller. */
export function judge<Value>(exchange: HttpExchange, bench: Bench<Value>): Verdict<Value> {
  if (exchange.kind === 'answered') return judgeAnswer(exchange, bench);
  const failure = 'sent' in exchange ? interrupted(exchange, bench) : disconnected(exchange, bench);
  return { ok: false, failure };
}

function judgeAnswer<Value>(answer: HttpAnswer, bench: Bench<Value>): Verdict<Value> {
  const body = parseJsonOrText(answer.text);
  const fine = answer.status >= 200 && answer.status < 300;
  if (!fine) return { ok: false, failure: refused(answer, body, bench) };
  if (answer.tooLarge) return { ok: false, failure: unreadable(answer, 'it is too large', bench) };
  if (bench.isFailure(body, answer.status)) return { ok: false, failure: refused(answer, body, bench) };
  try {
    return { ok: true, value: bench.read(body) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { ok: false, failure: unreadable(answer, error.message, bench) };
  }
}

/** A failure that leaves open whether the request had its effect. Only a repeatable call may be made again. */
function inDoubt(
  code: ServiceErrorCode,
  problem: string,
  { endpoint }: Bench<unknown>,
): Pick<ServiceErrorDetails, 'code' | 'message' | 'endpoint' | 'outcome' | 'retryable'> {
  const { name, repeatable } = endpoint;
  if (repeatable) {
    return { code, message: `${name}: ${problem}`, endpoint: name, outcome: 'unknown', retryable: true };
  }
  return {
    code: 'OUTCOME_UNKNOWN',
    message: `${name}: ${problem} It may have taken effect all the same, so it was not repeated: find out, or decide that twice is better than never.`,
    endpoint: name,
    outcome: 'unknown',
    retryable: false,
  };
}

function interrupted({ kind, sent }: HttpInterruption, bench: Bench<unknown>): ServiceErrorDetails {
  const { name } = bench.endpoint;
  if (kind === 'aborted') return aborted(bench.endpoint, sent ? 'unknown' : 'not-applied');
  if (sent) {
    const problem = `${bench.origin} did not answer in time. Check that the service is up, or raise timeoutMs.`;
    return inDoubt('SERVICE_TIMEOUT', problem, bench);
  }
  return {
    code: 'SERVICE_TIMEOUT',
    message: `${name}: the headers option took too long, and nothing was sent. Make it faster, or raise timeoutMs.`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: true,
  };
}

/** The caller gave up. */
export function aborted(
  { name }: EndpointRules,
  outcome: ServiceErrorDetails['outcome'],
): ServiceErrorDetails {
  const rest =
    outcome === 'unknown' ? 'The request may have taken effect all the same.' : 'Nothing took effect.';
  return {
    code: 'ABORTED',
    message: `${name}: ended by the caller's signal. ${rest}`,
    endpoint: name,
    outcome,
    retryable: false,
  };
}

function disconnected({ kind, errorCode }: ConnectionFailure, bench: Bench<unknown>): ServiceErrorDetails {
  const { name } = bench.endpoint;
  const why = errorCode ?? 'no error code';
  if (kind === 'lost') {
    const problem = `the connection to ${bench.origin} broke before the answer was complete (${why}).`;
    return inDoubt('CONNECTION_LOST', problem, bench);
  }
  const advice =
    kind === 'untrusted'
      ? 'TLS could not be set up. Check that baseUrl has the right scheme and host, and that Node trusts its certificate (NODE_EXTRA_CA_CERTS).'
      : 'Check baseUrl, the network and that the service is up.';
  return {
    code: 'SERVICE_UNREACHABLE',
    message: `${name}: cannot reach ${bench.origin} (${why}); nothing was sent. ${advice}`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: kind === 'unreachable',
  };
}

function refused(answer: HttpAnswer, body: unknown, bench: Bench<unknown>): ServiceErrorDetails {
  const { status } = answer;
  const serviceCode = serviceCodeOf(body);
  const code = refusalCode(status, serviceCode);
  const figures = `HTTP ${status}${serviceCode === null ? '' : `, code ${serviceCode}`}`;
  const problem = `${bench.origin} said no (${figures}): ${adviceForAnswer(status, serviceCode)}`;
  const { name } = bench.endpoint;
  const known = { status, serviceCode, retryAfterMs: readRetryAfter(answer.retryAfter, bench.now()) };
  if (code === 'SERVICE_FAILED') return { ...inDoubt(code, problem, bench), ...known };
  return {
    code,
    message: `${name}: ${problem}`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: code === 'RATE_LIMITED',
    ...known,
  };
}

/** The service's own number counts before the status, which the contract does not promise. */
function refusalCode(status: number, serviceCode: number | null): ServiceErrorCode {
  if (serviceCode === SERVICE_CODES.AUTHENTICATION_FAILED) return 'SERVICE_AUTH_FAILED';
  if (serviceCode !== null && serviceCode >= 50_000 && serviceCode < 60_000) return 'SERVICE_FAILED';
  if (isKnownServiceCode(serviceCode) || isRedirect(status)) return 'SERVICE_REFUSED';
  if (status === 401 || status === 403) return 'SERVICE_AUTH_FAILED';
  if (status === 429) return 'RATE_LIMITED';
  return status >= 500 || status === 408 ? 'SERVICE_FAILED' : 'SERVICE_REFUSED';
}

function unreadable(answer: HttpAnswer, problem: string, bench: Bench<unknown>): ServiceErrorDetails {
  const { name } = bench.endpoint;
  return {
    code: 'BAD_ANSWER',
    message: `${name}: ${bench.origin} answered HTTP ${answer.status}, but the answer cannot be read (${problem}). Check that baseUrl is the service itself and not a proxy or a web page.`,
    endpoint: name,
    outcome: 'unknown',
    retryable: false,
    status: answer.status,
  };
}
