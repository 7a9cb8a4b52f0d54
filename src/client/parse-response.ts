import {
  type ConnectionFailure,
  type HttpAnswer,
  type HttpInterruption,
  type HttpResult,
  parseJsonOrText,
  readRetryAfter,
} from '../internal/index.js';
import { SERVICE_CODES, ValidationError } from '../protocol/index.js';
import type { EndpointRules } from './endpoints.js';
import type { ServiceErrorCode, ServiceErrorDetails } from './service-error.js';

/** The call that a response belongs to. */
export interface ResponseSpec<Value> {
  readonly endpoint: EndpointRules;
  /** The platform's origin, for error messages. */
  readonly origin: string;
  readonly isFailure: (body: unknown, status: number) => boolean;
  /** Extracts the value from the body of a success; throws a `ValidationError` if it is not there. */
  readonly readBody: (body: unknown) => Value;
  readonly now: () => number;
}

/** The result of one attempt. */
export type CallResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: ServiceErrorDetails };

/** Turns an HTTP result into a value, or into a failure with advice. */
export function parseResponse<Value>(exchange: HttpResult, spec: ResponseSpec<Value>): CallResult<Value> {
  if (exchange.kind === 'answered') return parseAnswer(exchange, spec);
  const failure =
    'sent' in exchange ? interruptionFailure(exchange, spec) : connectionFailure(exchange, spec);
  return { ok: false, failure };
}

function parseAnswer<Value>(answer: HttpAnswer, spec: ResponseSpec<Value>): CallResult<Value> {
  const body = parseJsonOrText(answer.text);
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (!isSuccess) return { ok: false, failure: refusal(answer, body, spec) };
  if (answer.tooLarge) return { ok: false, failure: badAnswer(answer, 'it is too large', spec) };
  if (spec.isFailure(body, answer.status)) return { ok: false, failure: refusal(answer, body, spec) };
  try {
    return { ok: true, value: spec.readBody(body) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { ok: false, failure: badAnswer(answer, error.message, spec) };
  }
}

/** A failure after which the request may have taken effect. Only an idempotent call may be retried. */
function unknownOutcome(
  code: ServiceErrorCode,
  problem: string,
  { endpoint }: ResponseSpec<unknown>,
): Pick<ServiceErrorDetails, 'code' | 'message' | 'endpoint' | 'outcome' | 'retryable'> {
  const { name, idempotent } = endpoint;
  if (idempotent) {
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

function interruptionFailure(
  { kind, sent }: HttpInterruption,
  spec: ResponseSpec<unknown>,
): ServiceErrorDetails {
  const { name } = spec.endpoint;
  if (kind === 'aborted') return abortedFailure(spec.endpoint, sent ? 'unknown' : 'not-applied');
  if (sent) {
    const problem = `${spec.origin} did not answer in time. Check that the platform is up, or raise timeoutMs.`;
    return unknownOutcome('SERVICE_TIMEOUT', problem, spec);
  }
  return {
    code: 'SERVICE_TIMEOUT',
    message: `${name}: the headers option took too long, and nothing was sent. Make it faster, or raise timeoutMs.`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: true,
  };
}

/** The failure of a call that its caller aborted. */
export function abortedFailure(
  { name }: EndpointRules,
  outcome: ServiceErrorDetails['outcome'],
): ServiceErrorDetails {
  const effect =
    outcome === 'unknown' ? 'The request may have taken effect all the same.' : 'Nothing took effect.';
  return {
    code: 'ABORTED',
    message: `${name}: ended by the caller's signal. ${effect}`,
    endpoint: name,
    outcome,
    retryable: false,
  };
}

function connectionFailure(
  { kind, errorCode }: ConnectionFailure,
  spec: ResponseSpec<unknown>,
): ServiceErrorDetails {
  const { name } = spec.endpoint;
  const reason = errorCode ?? 'no error code';
  if (kind === 'lost') {
    const problem = `the connection to ${spec.origin} broke before the answer was complete (${reason}).`;
    return unknownOutcome('CONNECTION_LOST', problem, spec);
  }
  const advice =
    kind === 'untrusted'
      ? 'TLS could not be set up. Check that baseUrl has the right scheme and host, and that Node trusts its certificate (NODE_EXTRA_CA_CERTS).'
      : 'Check baseUrl, the network and that the platform is up.';
  return {
    code: 'SERVICE_UNREACHABLE',
    message: `${name}: cannot reach ${spec.origin} (${reason}); nothing was sent. ${advice}`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: kind === 'unreachable',
  };
}

function refusal(answer: HttpAnswer, body: unknown, spec: ResponseSpec<unknown>): ServiceErrorDetails {
  const { status } = answer;
  const serviceCode = serviceCodeOf(body);
  const code = refusalCode(status, serviceCode);
  const figures = `HTTP ${status}${serviceCode === null ? '' : `, code ${serviceCode}`}`;
  const problem = `${spec.origin} said no (${figures}): ${adviceFor(status, serviceCode)}`;
  const { name } = spec.endpoint;
  const known = { status, serviceCode, retryAfterMs: readRetryAfter(answer.retryAfter, spec.now()) };
  if (code === 'SERVICE_FAILED') return { ...unknownOutcome(code, problem, spec), ...known };
  return {
    code,
    message: `${name}: ${problem}`,
    endpoint: name,
    outcome: 'not-applied',
    retryable: code === 'RATE_LIMITED',
    ...known,
  };
}

/** The platform's code takes precedence over the HTTP status, which the contract does not promise. */
function refusalCode(status: number, serviceCode: number | null): ServiceErrorCode {
  if (serviceCode === SERVICE_CODES.AUTHENTICATION_FAILED) return 'SERVICE_AUTH_FAILED';
  if (serviceCode !== null && serviceCode >= 50_000 && serviceCode < 60_000) return 'SERVICE_FAILED';
  if ((serviceCode !== null && ADVICE.has(serviceCode)) || isRedirect(status)) return 'SERVICE_REFUSED';
  if (status === 401 || status === 403) return 'SERVICE_AUTH_FAILED';
  if (status === 429) return 'RATE_LIMITED';
  return status >= 500 || status === 408 ? 'SERVICE_FAILED' : 'SERVICE_REFUSED';
}

function badAnswer(answer: HttpAnswer, problem: string, spec: ResponseSpec<unknown>): ServiceErrorDetails {
  const { name } = spec.endpoint;
  return {
    code: 'BAD_ANSWER',
    message: `${name}: ${spec.origin} answered HTTP ${answer.status}, but the answer cannot be read (${problem}). Check that baseUrl is the platform itself and not a proxy or a web page.`,
    endpoint: name,
    outcome: 'unknown',
    retryable: false,
    status: answer.status,
  };
}

/** The platform's code in a body, sent as a number or as digits; `null` if there is none. */
export function serviceCodeOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('code' in body)) return null;
  const { code } = body;
  const number = typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

/** The meaning of each error code of the platform, and the remedy. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [
    SERVICE_CODES.PARAMETER_ERROR,
    'a parameter is wrong. Compare the request with what this endpoint takes, ids and file addresses first.',
  ],
  [SERVICE_CODES.INTERNAL_ERROR, 'it had an internal error. Try later; if it stays, ask the platform.'],
  [
    SERVICE_CODES.AUTHENTICATION_FAILED,
    'it does not accept the API key. Copy the key again from the API key page of the agent, and check that baseUrl is the data centre of that agent.',
  ],
  [
    SERVICE_CODES.AGENT_DELETED,
    'the agent of this API key was deleted. Use the key of an agent that exists.',
  ],
  [
    SERVICE_CODES.CONVERSATION_NOT_FOUND,
    'the conversation does not exist. Pass the conversation_id of the handoff request as it came; the ids in agent messages are of another kind.',
  ],
  [
    SERVICE_CODES.CONVERSATION_MISMATCH,
    'the conversation belongs to another agent or user. Use the API key of the agent that handed it over.',
  ],
  [
    SERVICE_CODES.API_DISABLED,
    'the API is switched off for this agent. Switch it on in its integration settings.',
  ],
  [SERVICE_CODES.OUT_OF_CREDITS, 'the account is out of credits. Top it up.'],
  [SERVICE_CODES.OUT_OF_CREDITS_ALSO, 'the account is out of credits. Top it up.'],
]);

function adviceFor(status: number, serviceCode: number | null): string {
  const known = serviceCode === null ? undefined : ADVICE.get(serviceCode);
  return known ?? adviceForStatus(status) ?? 'look the code up in the error list of the platform.';
}

function adviceForStatus(status: number): string | null {
  if (isRedirect(status)) {
    return 'it points to another address, and redirects are not followed, because the API key would go along. Set baseUrl to the final address.';
  }
  if (status === 401 || status === 403) {
    return 'it does not let the request in. Check apiKey, and the headers option if this endpoint needs another header.';
  }
  if (status === 404 || status === 405) {
    return 'there is no such endpoint. Check that baseUrl is the address before "/v1".';
  }
  if (status === 429) return 'it was asked too often. Wait and send less.';
  if (status === 413) return 'the request is too large. Send it in several parts.';
  if (status >= 500) return 'it failed. Try later.';
  return null;
}

/** A `fetch` that hides redirects reports the status 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}
