import type { ServerResponse } from 'node:http';
import type { WebhookEndpoint } from '../protocol/index.js';
import { type Refusal, refuse } from './refusal.js';

/** What handoff endpoints answer, where the contract leaves it open. */
export interface HandoffAnswers {
  /** The body of a success. Default `{ code: 200, message: 'success' }`. */
  readonly success?: { readonly code: number; readonly message: string };
  /** The body of a refusal or failure. Default: the HTTP status and a short reason. */
  readonly failure?: (status: number, reason: string) => { readonly code: number; readonly message: string };
}

/** Writes answers. */
export interface Answers {
  /** Answers 200 with the endpoint's own body. */
  succeed(response: ServerResponse, endpoint: WebhookEndpoint | 'root', requestId: string): void;
  /** Answers that a request was not accepted. */
  refuse(
    response: ServerResponse,
    endpoint: WebhookEndpoint | 'root',
    requestId: string,
    refusal: Refusal,
  ): void;
  /** Answers 500 in words of this package alone, for when something else failed, perhaps an answer. */
  breakDown(response: ServerResponse, endpoint: WebhookEndpoint | 'root', requestId: string): void;
}

const JSON_TYPE = 'application/json';
const MESSAGE_SUCCESS = ready({ code: 200, msg: 'success' });
const HANDOFF_SUCCESS = { code: 200, message: 'success' };
const BROKEN = refuse(500, 'internal error');

/** The mount's root is the address of the message webhook, so it speaks its language. */
const speaksMessage = (endpoint: WebhookEndpoint | 'root'): boolean =>
  endpoint === 'message' || endpoint === 'root';

/** A body ready to be sent. It stays a string: Node sends head and body in one piece then, which costs less. */
interface Body {
  readonly text: string;
  readonly length: number;
  /** Latin-1 where that is the same as UTF-8, since nothing has to be turned into anything then. */
  readonly encoding: 'latin1' | 'utf8';
}

function ready(body: object): Body {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return { text, length, encoding: length === text.length ? 'latin1' : 'utf8' };
}

/** Makes {@link Answers}: successes are made once, since they are nearly all there is to answer. */
export function createAnswers({ success = HANDOFF_SUCCESS, failure }: HandoffAnswers = {}): Answers {
  const handoffSuccess = ready(success);
  const failureOf = failure ?? plainFailure;

  return {
    succeed(response, endpoint, requestId) {
      if (response.headersSent) return;
      const body = speaksMessage(endpoint) ? MESSAGE_SUCCESS : handoffSuccess;
      response.writeHead(200, {
        'content-type': JSON_TYPE,
        'content-length': body.length,
        'x-request-id': requestId,
      });
      response.end(body.text, body.encoding);
    },
    refuse(response, endpoint, requestId, refusal) {
      sendRefusal(response, endpoint, requestId, refusal, failureOf);
    },
    breakDown(response, endpoint, requestId) {
      sendRefusal(response, endpoint, requestId, BROKEN, plainFailure);
    },
  };
}

const plainFailure: NonNullable<HandoffAnswers['failure']> = (code, message) => ({ code, message });

function sendRefusal(
  response: ServerResponse,
  endpoint: WebhookEndpoint | 'root',
  requestId: string,
  { status, reason, headers, hangUp }: Refusal,
  failureOf: NonNullable<HandoffAnswers['failure']>,
): void {
  if (response.headersSent) return;
  const body = ready(speaksMessage(endpoint) ? { code: status, msg: reason } : failureOf(status, reason));
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': body.length,
    'x-request-id': requestId,
    ...headers,
    ...(hangUp && { connection: 'close' }),
  });
  response.end(body.text, body.encoding);
}
