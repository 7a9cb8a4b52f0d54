import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, type ResolvedBot, type SimulatedBots } from '../bots.js';
import { PlatformFailure, parameterError } from '../error.js';
import type { Faults, PlatformEndpoint } from '../faults.js';
import type { SimulatorLog } from '../options.js';
import { FAILURE_CODES } from '../specification.js';
import type { ExchangeRecorder, TrafficRecorder } from '../traffic.js';

interface EndpointContext {
  bots: SimulatedBots;
  faults: Faults;
  traffic: TrafficRecorder;
  log: SimulatorLog;
  failureStatus: (code: number) => number;
}

/** An authenticated call of an endpoint. */
interface EndpointCall {
  readonly bot: ResolvedBot;
  readonly body: unknown;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates the two kinds of endpoints. `act` returns the answer or throws the refusal. */
export function createEndpoints(context: EndpointContext) {
  const { bots, faults, traffic, log } = context;

  const open = (
    what: PlatformEndpoint,
    request: IncomingMessage,
    response: ServerResponse,
  ): ExchangeRecorder => {
    const { method = '', url = '', headers } = request;
    const exchange = traffic.open({ direction: 'received', what, method, url, headers });
    response.on('close', () => {
      if (!response.headersSent) exchange.failed('not answered: the caller gave up');
    });
    return exchange;
  };

  /** Answers or ignores the request if a fault applies. Returns whether a fault applied. */
  const applyFault = (
    what: PlatformEndpoint,
    response: ServerResponse,
    exchange: ExchangeRecorder,
  ): boolean => {
    if (faults.take('answerError', what)) {
      exchange.fault('answerError');
      const body = { code: FAILURE_CODES.internalError, message: 'Internal system error' };
      sendAnswer(response, exchange, 500, body);
      return true;
    }
    const throttle = faults.take('answerThrottle', what);
    if (throttle) {
      exchange.fault('answerThrottle');
      // A gateway throttles, so the answer is not in the platform's format.
      const headers = { 'retry-after': String(throttle.retryAfterSeconds) };
      sendAnswer(response, exchange, 429, 'Too Many Requests', headers);
      return true;
    }
    if (!faults.take('answerNothing', what)) return false;
    exchange.fault('answerNothing');
    return true;
  };

  const refuse = (error: unknown, response: ServerResponse, exchange: ExchangeRecorder) => {
    const failure = toFailure(error);
    if (failure.platformCode === FAILURE_CODES.internalError) log.error({ err: error }, 'a request failed');
    const status = failure.status ?? context.failureStatus(failure.platformCode);
    const body = { code: failure.platformCode, message: failure.message };
    sendAnswer(response, exchange, status, body, status === 413 ? { connection: 'close' } : {});
  };

  /** An endpoint that requires an API key. With `hasBody: false` a request with a body is refused. */
  const endpoint =
    (
      what: PlatformEndpoint,
      act: (call: EndpointCall) => object | Promise<object>,
      { hasBody = true }: { hasBody?: boolean } = {},
    ): Handler =>
    async (request, response) => {
      const exchange = open(what, request, response);
      try {
        if (applyFault(what, response, exchange)) return;
        const bot = authenticate(bots, request.headers.authorization);
        if (hasBody && !isJson(request)) throw parameterError('Content-Type: expected application/json', 415);
        const text = await readText(request);
        if (text !== '') exchange.body(text);
        if (!hasBody && text !== '') throw parameterError('body: expected none');
        const body = hasBody ? parseJson(text) : null;
        sendAnswer(response, exchange, 200, await act({ bot, body }));
      } catch (error) {
        refuse(error, response, exchange);
      }
    };

  /** An endpoint without authentication that answers plain text. */
  const publicEndpoint =
    (what: PlatformEndpoint, act: () => { status: number; text: string }): Handler =>
    async (request, response) => {
      const exchange = open(what, request, response);
      if (applyFault(what, response, exchange)) return;
      const { status, text } = act();
      sendAnswer(response, exchange, status, text);
    };

  return { endpoint, publicEndpoint };
}

export type Endpoints = ReturnType<typeof createEndpoints>;

/** Sends an answer and records it: a string as plain text, an object as JSON. */
function sendAnswer(
  response: ServerResponse,
  exchange: ExchangeRecorder | undefined,
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

/** Maps an error to the platform's refusal; unexpected errors become code 50000. */
function toFailure(error: unknown): PlatformFailure {
  if (error instanceof PlatformFailure) return error;
  return new PlatformFailure(FAILURE_CODES.internalError, 'Internal system error');
}

const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Reads the body as text. Unreadable bodies are refused with code 40000. */
export async function readText(request: IncomingMessage): Promise<string> {
  if (request.headers['content-encoding']) throw parameterError('body: expected no Content-Encoding', 415);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw parameterError(`body: expected at most ${MAX_BODY_BYTES} bytes`, 413);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

export function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** Invalid JSON is refused with code 40000. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw parameterError('body: expected JSON');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw parameterError('body: expected UTF-8');
  }
}
