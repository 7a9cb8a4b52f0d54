import type { WebhookEndpoint } from '../protocol/index.js';
import type { ReceiverAnswer } from './request.js';

/** The refusal of a request: its response, and details for the log. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** A short reason for the sender, without details. */
  readonly reason: string;
  /** The cause and the remedy, for the log. Never a value of the request. */
  readonly detail?: string | undefined;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** Whether to close the connection, because the rest of the body will not be read. */
  readonly closesConnection?: boolean | undefined;
}

type RefusalOptions = Pick<Refusal, 'detail' | 'headers' | 'closesConnection'>;

/** A class, so that `instanceof` distinguishes it from any JSON body. */
class RefusedRequest implements Refusal {
  readonly status: number;
  readonly reason: string;
  readonly detail: RefusalOptions['detail'];
  readonly headers: RefusalOptions['headers'];
  readonly closesConnection: RefusalOptions['closesConnection'];

  constructor(status: number, reason: string, { detail, headers, closesConnection }: RefusalOptions) {
    this.status = status;
    this.reason = reason;
    this.detail = detail;
    this.headers = headers;
    this.closesConnection = closesConnection;
  }
}

export function refuse(status: number, reason: string, options: RefusalOptions = {}): Refusal {
  return new RefusedRequest(status, reason, options);
}

/** Tells a refusal from any other result of a step. */
export function isRefusal(value: unknown): value is Refusal {
  return value instanceof RefusedRequest;
}

/** Response bodies of the handoff endpoints, which the contract leaves open. */
export interface HandoffAnswers {
  /** The body of a success. Default `{ code: 200, message: 'success' }`. */
  readonly success?: { readonly code: number; readonly message: string };
  /** The body of a refusal or failure. Default: the HTTP status and a short reason. */
  readonly failure?: (status: number, reason: string) => { readonly code: number; readonly message: string };
}

/** Builds answers. */
export interface Answers {
  /** 200 with the endpoint's own body. */
  success(endpoint: WebhookEndpoint | 'root', requestId: string): ReceiverAnswer;
  /** The answer of a refusal. */
  refusal(endpoint: WebhookEndpoint | 'root', requestId: string, refusal: Refusal): ReceiverAnswer;
  /** 500 with the default body: the application's `answers` may be what failed. */
  internalError(endpoint: WebhookEndpoint | 'root', requestId: string): ReceiverAnswer;
}

const JSON_TYPE = 'application/json';
const MESSAGE_SUCCESS = serialise({ code: 200, msg: 'success' });
const HANDOFF_SUCCESS = { code: 200, message: 'success' };
const INTERNAL_ERROR = refuse(500, 'internal error');

/** The root of the mount is the message webhook, so it uses that format. */
const usesMessageFormat = (endpoint: WebhookEndpoint | 'root'): boolean =>
  endpoint === 'message' || endpoint === 'root';

function serialise(body: object): { readonly text: string; readonly length: number } {
  const text = JSON.stringify(body);
  return { text, length: Buffer.byteLength(text) };
}

/** Creates {@link Answers}. Successes, nearly all answers, are serialised once. */
export function createAnswers({ success = HANDOFF_SUCCESS, failure }: HandoffAnswers = {}): Answers {
  const handoffSuccess = serialise(success);
  const failureOf = failure ?? plainFailure;

  return {
    success(endpoint, requestId) {
      const { text, length } = usesMessageFormat(endpoint) ? MESSAGE_SUCCESS : handoffSuccess;
      const headers = { 'content-type': JSON_TYPE, 'content-length': length, 'x-request-id': requestId };
      return { status: 200, headers, body: text };
    },
    refusal: (endpoint, requestId, refusal) => refusalAnswer(endpoint, requestId, refusal, failureOf),
    internalError: (endpoint, requestId) => refusalAnswer(endpoint, requestId, INTERNAL_ERROR, plainFailure),
  };
}

const plainFailure: NonNullable<HandoffAnswers['failure']> = (code, message) => ({ code, message });

function refusalAnswer(
  endpoint: WebhookEndpoint | 'root',
  requestId: string,
  { status, reason, headers, closesConnection }: Refusal,
  failureOf: NonNullable<HandoffAnswers['failure']>,
): ReceiverAnswer {
  const { text, length } = serialise(
    usesMessageFormat(endpoint) ? { code: status, msg: reason } : failureOf(status, reason),
  );
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'content-length': length,
      'x-request-id': requestId,
      ...headers,
      ...(closesConnection && { connection: 'close' }),
    },
    body: text,
  };
}
