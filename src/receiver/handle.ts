import type { Delivery } from '../delivery/index.js';
import type { Dispatcher, FailureDetails } from '../events/index.js';
import type { TaskCounter } from '../internal/index.js';
import { type Answers, isRefusal, type Refusal, refuse } from './answer.js';
import type { Greet } from './greeting.js';
import type { Exchange, Outcome, Pipeline } from './pipeline.js';
import { PROBE_LIMITS, type ReadLimits, readBody, SENDER_HUNG_UP } from './read-body.js';
import type { ReceiverAnswer, ReceiverRequest, SendAnswer } from './request.js';
import { createRequestIds, type RequestLog } from './request-log.js';
import type { Route } from './routes.js';
import type { Tracer } from './trace.js';

/**
 * Handles requests of any server. Bindings call it: `node-http.ts` for `node:http` and Express, `fetch.ts` for Fetch.
 *
 *     request ─> routes ─ not ours ─> null: the binding passes it on, or answers `notFound`
 *                  │
 *                  └─> pipeline (draining, credentials, body, probe, validation, gates, delivery)
 *                        └─> send(answer) ─> log, observers of probes, greeting ─> the promise resolves
 */
export interface RequestHandling {
  /**
   * Handles a request to one of the receiver's paths; returns `null` for any other. The promise resolves when all work
   * has finished, also that after the answer. It never rejects.
   */
  readonly handle: (request: ReceiverRequest, send: SendAnswer) => Promise<void> | null;
  /** The answer where nothing else could answer. */
  readonly notFound: (request: ReceiverRequest) => ReceiverAnswer;
}

/** Options of {@link createHandle}. */
export interface HandleParts {
  readonly routes: (url: string) => Route | null;
  readonly knowsToken: (segment: string) => boolean;
  readonly pipeline: Pipeline;
  readonly limits: ReadLimits;
  readonly answers: Answers;
  readonly requestLog: RequestLog;
  readonly dispatcher: Dispatcher;
  readonly delivery: Delivery;
  readonly greet: Greet | null;
  readonly trace: Tracer;
  /** Counts requests under way. */
  readonly inFlight: TaskCounter;
}

const NOT_FOUND = refuse(404, 'not found');
const WRONG_METHOD = refuse(405, 'method not allowed', { headers: { allow: 'POST' } });

/** Creates {@link RequestHandling}. */
export function createHandle(parts: HandleParts): RequestHandling {
  const {
    routes,
    knowsToken,
    pipeline,
    limits,
    answers,
    requestLog,
    dispatcher,
    delivery,
    greet,
    trace,
    inFlight,
  } = parts;
  const requestIdOf = createRequestIds();
  const probeLimits: ReadLimits = {
    maxBytes: Math.min(limits.maxBytes, PROBE_LIMITS.maxBytes),
    readTimeoutMs: Math.min(limits.readTimeoutMs, PROBE_LIMITS.readTimeoutMs),
  };

  /** Other methods on the root of the mount, or below a segment that is no token, may belong to another handler. */
  const isOurs = (route: Route, method: string): boolean => {
    if (method === 'POST') return true;
    return route.endpoint !== 'root' && (route.pathToken === undefined || knowsToken(route.pathToken));
  };

  /** Work that the sender does not wait for, but a closing receiver does. */
  const reported = (work: Promise<void>, place: FailureDetails): Promise<void> =>
    work.catch((error: unknown) => dispatcher.report(error, place));

  /** Answers 200. Returns the work that is left, if any. */
  const succeed = (exchange: Exchange, outcome: Outcome, send: SendAnswer): Promise<unknown> | undefined => {
    const { route, requestId, receivedAt } = exchange;
    send(answers.success(route.endpoint, requestId));
    requestLog.accepted(exchange, outcome);
    if (outcome.kind === 'probe') {
      const observed = dispatcher.observe(
        { endpoint: route.endpoint },
        { bot: outcome.bot, requestId, receivedAt },
      );
      return reported(observed, { event: 'probe', bot: outcome.bot, requestId });
    }
    const { event, acceptance } = outcome;
    const handled = acceptance === 'late' ? delivery.finished?.(event) : undefined;
    if (!greet || event.name !== 'handoff.requested') return handled;
    // The worker greets stored handoffs.
    if (acceptance === 'duplicate' || acceptance === 'stored') return undefined;
    const { name, bot, conversationId } = event;
    const greeted = reported(greet(event), { event: name, bot, conversationId, requestId });
    return handled ? Promise.all([greeted, handled]) : greeted;
  };

  const refuseRequest = (exchange: Exchange, refusal: Refusal, send: SendAnswer): Promise<void> | void => {
    const { route, requestId } = exchange;
    if (refusal !== SENDER_HUNG_UP) send(answers.refusal(route.endpoint, requestId, refusal));
    return requestLog.refused(exchange, refusal);
  };

  /** The binding may be what failed. Then the operator learns of it, and the sender gets no answer. */
  const sendInternalError = ({ endpoint }: Route, requestId: string, send: SendAnswer): void => {
    try {
      send(answers.internalError(endpoint, requestId));
    } catch (error) {
      dispatcher.report(error, { requestId });
    }
  };

  /** One async function for the whole request: each additional one costs a promise per request. */
  const serve = async (exchange: Exchange, send: SendAnswer): Promise<void> => {
    const { request, route, requestId } = exchange;
    try {
      const entered = request.method === 'POST' ? pipeline.enter(exchange) : WRONG_METHOD;
      const grant = entered instanceof Promise ? await entered : entered;
      if (isRefusal(grant)) return await refuseRequest(exchange, grant, send);
      if (grant.level === 'none') return await refuseRequest(exchange, grant.otherwise, send);
      const readLimits = grant.level === 'probe' ? probeLimits : limits;
      const taken = pipeline.take(exchange, grant, await readBody(request, readLimits));
      const outcome = taken instanceof Promise ? await taken : taken;
      const rest = isRefusal(outcome)
        ? refuseRequest(exchange, outcome, send)
        : succeed(exchange, outcome, send);
      if (rest) await rest;
    } catch (error) {
      dispatcher.report(error, { requestId });
      sendInternalError(route, requestId, send);
    } finally {
      inFlight.leave();
    }
  };

  const serveTraced = trace.request(serve);

  return {
    handle(request, send) {
      const route = routes(request.url);
      if (!route || !isOurs(route, request.method)) return null;
      inFlight.enter();
      const requestId = requestIdOf(request.id, request.headers);
      return serveTraced({ request, route, requestId, receivedAt: Date.now() }, once(send));
    },
    notFound: ({ id, headers }) => answers.refusal('root', requestIdOf(id, headers), NOT_FOUND),
  };
}

/** The application's code may fail after the answer; that is reported, and must not answer again. */
function once(send: SendAnswer): SendAnswer {
  let isSent = false;
  return (answer) => {
    if (isSent) return;
    send(answer);
    isSent = true;
  };
}
