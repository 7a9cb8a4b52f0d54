import type { ServerResponse } from 'node:http';
import { SERVICE_CODES, ValidationError } from '../../protocol/index.js';
import { parameterError, ServiceFailure } from '../error.js';
import type { OpenExchange } from '../traffic.js';

/** The HTTP status that goes with a failure code. The contract does not say; this is the usual one. */
export function usualStatus(code: number): number {
  return STATUSES[code] ?? 400;
}

const STATUSES: Readonly<Record<number, number>> = {
  [SERVICE_CODES.PARAMETER_ERROR]: 400,
  [SERVICE_CODES.AUTHENTICATION_FAILED]: 401,
  [SERVICE_CODES.AGENT_DELETED]: 403,
  [SERVICE_CODES.CONVERSATION_NOT_FOUND]: 404,
  [SERVICE_CODES.CONVERSATION_MISMATCH]: 403,
  [SERVICE_CODES.INTERNAL_ERROR]: 500,
};

/** Sends an answer and notes it in the log of traffic. A text goes out as plain text, an object as JSON. */
export function answer(
  response: ServerResponse,
  exchange: OpenExchange | undefined,
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const all = { 'content-type': type, 'cache-control': 'no-store', ...headers };
  response.writeHead(status, { ...all, 'content-length': Buffer.byteLength(text) });
  response.end(text);
  exchange?.answered(status, all, text);
}

/** What the service says to an error: its own refusals as they are, anything else as 50000. */
export function toFailure(error: unknown): ServiceFailure {
  if (error instanceof ServiceFailure) return error;
  if (error instanceof ValidationError) return parameterError(error.message);
  return new ServiceFailure(SERVICE_CODES.INTERNAL_ERROR, 'Internal system error');
}
