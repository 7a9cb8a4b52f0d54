import type { ServerResponse } from 'node:http';
import type { WebhookEndpoint } from '../protocol/index.js';
import type { Refusal } from './refusal.js';

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
}

const JSON_TYPE = 'application/json';
const MESSAGE_SUCCESS = ready({ code: 200, msg: 'success' });
const HANDOFF_SUCCESS = { code: 200, message: 'success' };

/** The mount's root is the address of the message webhook, so it speaks its language. */
const speaksMessage = (endpoint: WebhookEndpoint | 'root'): boolean =>
  endpoint === 'message' || endpoint === 'root';

/** A body ready to be sent. It stays a string: Node sends head and body in one piece then, which costs less. */
interface Body {
  readonly text: string;
  readonly length: number;
}

function ready(body: object): Body {
  const text = JSON.stringify(body);
  return { text, length: Buffer.byteLength(text) };
}

/** Makes {@link Answers}: successes are made once, since they are nearly all there is to answer. */
export function createAnswers({ success = HANDOFF_SUCCESS, failure }: HandoffAnswers = {}): Answers {
  const handoffSuccess = ready(success);
  const failureOf = failure ?? ((code, message) => ({ code, message }));

  return {
    succeed(response, endpoint, requestId) {
      if (response.headersSent) return;
      const body = speaksMessage(endpoint) ? MESSAGE_SUCCESS : handoffSuccess;
      response.writeHead(200, {
        'content-type': JSON_TYPE,
        'content-length': body.length,
        'x-request-id': requestId,
      });
      response.end(body.text);
    },
    refuse(response, endpoint, requestId, { status, reason, headers, hangUp }) {
      if (response.headersSent) return;
      const answer = speaksMessage(endpoint) ? { code: status, msg: reason } : failureOf(status, reason);
      const body = ready(answer);
      response.writeHead(status, {
        'content-type': JSON_TYPE,
        'content-length': body.length,
        'x-request-id': requestId,
        ...headers,
        ...(hangUp && { connection: 'close' }),
      });
      response.end(body.text);
    },
  };
}
