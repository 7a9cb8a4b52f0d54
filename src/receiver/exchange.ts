import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Acceptance } from '../delivery/index.js';
import { botField, DEFAULT_BOT, type DeliveredEvent } from '../events/index.js';
import type { Log } from '../internal/index.js';
import type { WebhookEndpoint } from '../protocol/index.js';
import type { Route } from './routes.js';

/** Limits of reading a body. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly readTimeoutMs: number;
}

/**
 * A request, from whatever server. A binding makes one of each request that its server receives, and passes it to
 * `receiver.handle`.
 */
export interface ReceiverRequest {
  readonly method: string;
  /** The path with its query, below the mount. */
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Whether there are several `Authorization` headers. They count as none, because proxies differ in which applies. */
  readonly hasRepeatedAuthorization?: boolean;
  /** The IP address of the connection, if the server tells it. */
  readonly remoteAddress?: string | undefined;
  /** An id that the application gave the request, for the log. */
  readonly id?: unknown;
  /** The bytes of the body, if something before the receiver has read and kept them. */
  readonly rawBody?: Uint8Array | undefined;
  /** The body as a body parser before the receiver has parsed it. */
  readonly parsedBody?: unknown;
  /** Reads the body; `null` if something before the receiver has read it. */
  readonly read: ((limits: ReadLimits) => Promise<Uint8Array | Refusal> | Uint8Array) | null;
}

/** The answer to a request. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[]>>;
  /** JSON. */
  readonly body: string;
}

/** Sends the answer to a request. Called once, or never if the sender has hung up. */
export type SendAnswer = (answer: ReceiverAnswer) => void;

/** One request, and what is known of it before it is read. */
export interface Exchange {
  readonly request: ReceiverRequest;
  readonly route: Route;
  readonly requestId: string;
  readonly receivedAt: number;
}

/** The outcome of a request that was not refused. */
export type Outcome =
  | { readonly kind: 'probe'; readonly bot: string | null; readonly endpoint: Route['endpoint'] }
  | { readonly kind: 'event'; readonly event: DeliveredEvent; readonly acceptance: Acceptance | 'dropped' };

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

  constructor(status: number, reason: string, options: RefusalOptions) {
    this.status = status;
    this.reason = reason;
    Object.assign(this, options);
  }
}

export const refuse = (status: number, reason: string, options: RefusalOptions = {}): Refusal =>
  new RefusedRequest(status, reason, options);

/** Tells a refusal from any other result of a step. */
export const isRefusal = (value: unknown): value is Refusal => value instanceof RefusedRequest;

/** The sender hung up: no answer is sent. */
export const SENDER_HUNG_UP = refuse(499, 'client closed the request', {
  detail: 'the sender hung up mid-body',
});

/** Response bodies of the handoff endpoints, which the contract leaves open. */
export interface HandoffAnswers {
  /** The body of a success. Default `{ code: 200, message: 'success' }`. */
  readonly success?: { readonly code: number; readonly message: string };
  /** The body of a refusal or failure. Default: the HTTP status and a short reason. */
  readonly failure?: (status: number, reason: string) => { readonly code: number; readonly message: string };
}

export interface Answers {
  /** 200 with the endpoint's own body. */
  success(endpoint: WebhookEndpoint | 'root', requestId: string): ReceiverAnswer;
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

/** Successes, nearly all answers, are serialised once. */
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

/** Logs one line per request, those that were accepted as `debug`: ids and outcomes, never users' words. */
export interface RequestLog {
  accepted(exchange: Exchange, outcome: Outcome): void;
  /** Asks whether it was a probe only if it was refused for its credentials. */
  refused(exchange: Exchange, refusal: Refusal, isProbe: () => Promise<boolean>): Promise<void>;
  /** A request to a path that is not the receiver's. Says once how to mount it if none was so far. */
  missed(method: string): void;
}

const REJECTED_PROBE =
  'an availability probe was refused for its credentials: the platform now shows this webhook as unreachable. Give the platform the credentials of this endpoint, or let probes in without any: probes: { auth: "none" }';

const MISSED =
  'a POST request is for none of the paths of this receiver, and neither was any before. Mount it with app.use("/webhook", receiver) and no basePath, or with app.use(receiver) and basePath: "/webhook"; app.post() does not work, because it leaves the path in front.';

export function createRequestLog(log: Log): RequestLog {
  /** Whether a request was for the receiver, or the hint was given. */
  let isSettled = false;
  const fieldsOf = ({ requestId, route, receivedAt }: Exchange, bot: string | null = null) => ({
    requestId,
    endpoint: route.endpoint,
    ...botField(bot ?? route.bot ?? DEFAULT_BOT),
    ms: Date.now() - receivedAt,
  });

  return {
    missed(method) {
      // Without the path, which may contain a token.
      if (isSettled || method !== 'POST') return;
      isSettled = true;
      log.warn({}, MISSED);
    },
    accepted(exchange, outcome) {
      isSettled = true;
      if (log.isLevelEnabled?.('debug') === false) return;
      if (outcome.kind === 'probe') {
        const { bot, endpoint } = outcome;
        return log.debug({ ...fieldsOf(exchange, bot), endpoint }, 'probe answered');
      }
      const { event, acceptance } = outcome;
      log.debug(
        {
          ...fieldsOf(exchange, event.bot),
          event: event.name,
          conversationId: event.conversationId,
          acceptance,
        },
        'event accepted',
      );
    },
    async refused(exchange, refusal, isProbe) {
      isSettled = true;
      const line = {
        ...fieldsOf(exchange),
        status: refusal.status,
        reason: refusal.reason,
        detail: refusal.detail,
      };
      if (refusal === SENDER_HUNG_UP) return log.debug(line, 'request refused');
      const isRejectedProbe = refusal.status === 401 && (await isProbe());
      log.warn(line, isRejectedProbe ? REJECTED_PROBE : 'request refused');
    },
  };
}

/** Other ids from outside are ignored. */
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

const isAcceptable = (id: unknown): id is string => typeof id === 'string' && ACCEPTABLE.test(id);

/**
 * Gives each request an id: the one that the application has given it, such as `req.id` of a logger, the one that the
 * sender or a proxy sent (`X-Request-Id`), or a new one.
 */
export function createRequestIds(): (given: unknown, headers: IncomingHttpHeaders) => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return (given, headers) => {
    const known = typeof given === 'number' ? String(given) : given;
    if (isAcceptable(known)) return known;
    const sent = headers['x-request-id'];
    if (isAcceptable(sent)) return sent;
    count += 1;
    return `${prefix}-${count}`;
  };
}
