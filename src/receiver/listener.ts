import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher, FailureDetails } from '../events/index.js';
import type { TaskCounter } from '../internal/index.js';
import { type Answers, isRefusal, type Refusal, refuse } from './answer.js';
import type { Greet } from './greeting.js';
import type { Exchange, Outcome, Pipeline } from './pipeline.js';
import { PROBE_LIMITS, type ReadLimits, readBody, SENDER_HUNG_UP } from './read-body.js';
import { createRequestIds, type RequestLog } from './request-log.js';
import type { Route } from './routes.js';

/** Passes a request on to the next handler, as in Express. */
export type NextFunction = (error?: unknown) => void;

/** Handles requests. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: NextFunction,
) => void;

/** Options of {@link createListener}. */
export interface ListenerParts {
  readonly routes: (url: string) => Route | null;
  readonly knowsToken: (segment: string) => boolean;
  readonly pipeline: Pipeline;
  readonly limits: ReadLimits;
  readonly answers: Answers;
  readonly requestLog: RequestLog;
  readonly dispatcher: Dispatcher;
  readonly greet: Greet | null;
  /** Counts requests under way. */
  readonly inFlight: TaskCounter;
}

const NOT_FOUND = refuse(404, 'not found');
const WRONG_METHOD = refuse(405, 'method not allowed', { headers: { allow: 'POST' } });

/** Connects the pipeline to `node:http`: selects the requests for its paths, and always answers them. */
export function createListener(parts: ListenerParts): RequestListener {
  const { routes, knowsToken, pipeline, limits, answers, requestLog, dispatcher, greet, inFlight } = parts;
  const requestIdOf = createRequestIds();
  const probeLimits: ReadLimits = {
    maxBytes: Math.min(limits.maxBytes, PROBE_LIMITS.maxBytes),
    readTimeoutMs: Math.min(limits.readTimeoutMs, PROBE_LIMITS.readTimeoutMs),
  };

  /** Other methods on the root of the mount, or below a segment that is no token, may belong to another handler. */
  const isOurs = (route: Route, method: string | undefined): boolean => {
    if (method === 'POST') return true;
    return route.endpoint !== 'root' && (route.pathToken === undefined || knowsToken(route.pathToken));
  };

  /** Work that the sender does not wait for, but a closing receiver does. */
  const afterwards = (work: Promise<void>, place: FailureDetails): void => {
    inFlight.enter();
    void work.catch((error: unknown) => dispatcher.report(error, place)).finally(() => inFlight.leave());
  };

  const succeed = (exchange: Exchange, outcome: Outcome): void => {
    const { response, route, requestId, receivedAt } = exchange;
    answers.succeed(response, route.endpoint, requestId);
    requestLog.accepted(exchange, outcome);
    if (outcome.kind === 'probe') {
      const observed = dispatcher.observe({ endpoint: route.endpoint }, requestId, receivedAt);
      afterwards(observed, { event: 'probe', requestId });
      return;
    }
    const { event, acceptance } = outcome;
    if (!greet || event.name !== 'handoff.requested') return;
    // The worker greets stored handoffs.
    if (acceptance === 'duplicate' || acceptance === 'stored') return;
    afterwards(greet(event), { event: event.name, conversationId: event.conversationId, requestId });
  };

  const refuseRequest = (exchange: Exchange, refusal: Refusal): void => {
    const { response, route, requestId } = exchange;
    if (refusal !== SENDER_HUNG_UP) answers.refuse(response, route.endpoint, requestId, refusal);
    requestLog.refused(exchange, refusal);
  };

  /** One async function for the whole request: each additional one costs a promise per request. */
  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, headers, route, requestId, response } = exchange;
    try {
      const entered = request.method === 'POST' ? pipeline.enter(exchange) : WRONG_METHOD;
      const grant = entered instanceof Promise ? await entered : entered;
      if (isRefusal(grant)) return refuseRequest(exchange, grant);
      if (grant.level === 'none') return refuseRequest(exchange, grant.otherwise);
      const readLimits = grant.level === 'probe' ? probeLimits : limits;
      const taken = pipeline.take(exchange, grant, await readBody(request, headers, readLimits));
      const outcome = taken instanceof Promise ? await taken : taken;
      if (isRefusal(outcome)) refuseRequest(exchange, outcome);
      else succeed(exchange, outcome);
    } catch (error) {
      dispatcher.report(error, { requestId });
      answers.failInternally(response, route.endpoint, requestId);
    } finally {
      inFlight.leave();
    }
  };

  return (request, response, next) => {
    const route = routes(request.url ?? '/');
    const { headers } = request;
    const requestId = requestIdOf(request, headers);
    if (route && isOurs(route, request.method)) {
      inFlight.enter();
      const exchange = { request, headers, response, route, requestId, receivedAt: Date.now() };
      void serve(exchange);
      return;
    }
    if (next) return next();
    answers.refuse(response, 'root', requestId, NOT_FOUND);
  };
}
