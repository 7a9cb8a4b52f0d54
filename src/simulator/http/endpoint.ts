import type { IncomingMessage, ServerResponse } from 'node:http';
import { SERVICE_CODES } from '../../protocol/index.js';
import { type Agent, type Agents, authenticate } from '../agents.js';
import { parameterError } from '../error.js';
import type { Faults, ServiceEndpoint } from '../faults.js';
import type { SimulatorLog } from '../log.js';
import type { OpenExchange, TrafficLog } from '../traffic.js';
import { answer, toFailure } from './answer.js';
import { isJson, parseJson, readText } from './read-json.js';

/** What every endpoint of the service needs. */
export interface EndpointContext {
  agents: Agents;
  faults: Faults;
  traffic: TrafficLog;
  log: SimulatorLog;
  /** The HTTP status for a failure code. */
  failureStatus: (code: number) => number;
}

/** What an endpoint is asked: by which agent's developer, and with which body. */
export interface Call {
  readonly agent: Agent;
  readonly body: unknown;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes endpoints of the service; `act` returns the answer or throws the refusal. */
export function createEndpoints(context: EndpointContext) {
  const { agents, faults, traffic, log } = context;

  const open = (what: ServiceEndpoint, request: IncomingMessage, response: ServerResponse): OpenExchange => {
    const { method = '', url = '', headers } = request;
    const exchange = traffic.open({ direction: 'received', what, method, url, headers });
    response.on('close', () => {
      if (!response.headersSent) exchange.failed('not answered: the caller gave up');
    });
    return exchange;
  };

  /** Whether a fault took the answer over. */
  const struck = (what: ServiceEndpoint, response: ServerResponse, exchange: OpenExchange): boolean => {
    if (faults.take('answerError', what)) {
      exchange.fault('answerError');
      const body = { code: SERVICE_CODES.INTERNAL_ERROR, message: 'Internal system error' };
      answer(response, exchange, 500, body);
      return true;
    }
    const throttle = faults.take('answerThrottle', what);
    if (throttle) {
      exchange.fault('answerThrottle');
      // Throttling is a gateway's work, and a gateway does not speak the service's language.
      const headers = { 'retry-after': String(throttle.retryAfterSeconds) };
      answer(response, exchange, 429, 'Too Many Requests', headers);
      return true;
    }
    if (!faults.take('answerNothing', what)) return false;
    exchange.fault('answerNothing');
    return true;
  };

  const refuse = (error: unknown, response: ServerResponse, exchange: OpenExchange) => {
    const failure = toFailure(error);
    if (failure.serviceCode === SERVICE_CODES.INTERNAL_ERROR) log.error({ err: error }, 'a request failed');
    const status = failure.status ?? context.failureStatus(failure.serviceCode);
    const body = { code: failure.serviceCode, message: failure.message };
    answer(response, exchange, status, body, status === 413 ? { connection: 'close' } : {});
  };

  /** An endpoint whose callers show an API key. Without `hasBody` a body is not looked at. */
  const endpoint =
    (
      what: ServiceEndpoint,
      act: (call: Call) => object | Promise<object>,
      { hasBody = true }: { hasBody?: boolean } = {},
    ): Handler =>
    async (request, response) => {
      const exchange = open(what, request, response);
      try {
        if (struck(what, response, exchange)) return;
        const agent = authenticate(agents, request.headers.authorization);
        if (hasBody && !isJson(request)) throw parameterError('Content-Type: expected application/json', 415);
        const text = hasBody ? await readText(request) : '';
        if (hasBody) exchange.body(text);
        const body = hasBody ? parseJson(text) : null;
        answer(response, exchange, 200, await act({ agent, body }));
      } catch (error) {
        refuse(error, response, exchange);
      }
    };

  /** An endpoint that anybody may ask, answered with plain text. */
  const openEndpoint =
    (what: ServiceEndpoint, act: () => { status: number; text: string }): Handler =>
    async (request, response) => {
      const exchange = open(what, request, response);
      if (struck(what, response, exchange)) return;
      const { status, text } = act();
      answer(response, exchange, status, text);
    };

  return { endpoint, openEndpoint };
}

/** The endpoints' maker. */
export type Endpoints = ReturnType<typeof createEndpoints>;
