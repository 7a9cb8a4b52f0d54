import type { Acceptance, Delivery } from '../delivery/index.js';
import {
  type BotDirectory,
  type DeliveredEvent,
  type DeliveredEventName,
  type Dispatcher,
  EVENT_OF_ENDPOINT,
  eventKey,
  type FailureDetails,
  NO_AGENT,
  needsSession,
} from '../events/index.js';
import type { TaskCounter } from '../internal/index.js';
import {
  isProbe,
  ValidationError,
  validateWebhook,
  type WebhookBody,
  type WebhookEndpoint,
} from '../protocol/index.js';
import type { Authenticate } from './auth/authenticate.js';
import {
  checkAnnouncedSize,
  decodeBody,
  type JsonObject,
  PROBE_LIMITS,
  parseJson,
  readBody,
} from './body.js';
import type { FindSession } from './conversations.js';
import {
  type Answers,
  createRequestIds,
  type Exchange,
  isRefusal,
  type Outcome,
  type ReadLimits,
  type ReceiverAnswer,
  type ReceiverRequest,
  type Refusal,
  type RequestLog,
  refuse,
  SENDER_HUNG_UP,
  type SendAnswer,
} from './exchange.js';
import { ADD_HANDOFF_HANDLER } from './options.js';
import type { Route } from './routes.js';
import type { Tracer } from './trace.js';

/** Handles requests of any server. Bindings call it: `node-http.ts` for `node:http` and Express, `fetch.ts` for Fetch. */
export interface RequestHandling {
  /**
   * Handles a request to one of the receiver's paths; returns `null` for any other. The promise resolves when all work
   * has finished, also that after the answer. It never rejects.
   */
  readonly handle: (request: ReceiverRequest, send: SendAnswer) => Promise<void> | null;
  /** The answer where nothing else could answer. */
  readonly notFound: (request: ReceiverRequest) => ReceiverAnswer;
}

interface ReceiveOptions {
  readonly routes: (url: string) => Route | null;
  readonly isToken: (segment: string) => boolean;
  readonly isDraining: () => boolean;
  readonly authenticate: Authenticate;
  readonly limits: ReadLimits & { readonly depth: number };
  readonly bots: Pick<BotDirectory, 'conversationIdOf'>;
  /** Finds the session of a handoff event without a timestamp, which is part of its key. */
  readonly findSession: FindSession;
  /** Whether handoff requests are accepted: they have a handler, or the application does without. */
  readonly acceptsHandoffs: () => boolean;
  /** Whether events of this name are acknowledged and dropped, since no handler is registered. */
  readonly isDropped: (name: DeliveredEventName) => boolean;
  readonly dispatcher: Dispatcher;
  readonly delivery: Pick<Delivery, 'accept' | 'seen' | 'answered'>;
  readonly answers: Answers;
  readonly requestLog: RequestLog;
  readonly trace: Tracer;
  readonly inFlight: TaskCounter;
}

/**
 * One request, from the socket to the answer:
 *
 * ```
 *   handle ── not our path ──► null: the binding passes it on, or answers `notFound`
 *      │
 *   receive ──► refusal: 4xx, 5xx ──┐
 *      │                            │
 *      └─────► probe or event: 200 ─┴─► answer ──► log · observers of probes · greeting
 * ```
 */
export function createReceive(options: ReceiveOptions): RequestHandling {
  const { routes, isToken, isDraining, authenticate, limits, bots, findSession } = options;
  const { acceptsHandoffs, isDropped, dispatcher, delivery, answers, requestLog, trace, inFlight } = options;
  const requestIdOf = createRequestIds();
  const probeLimits: ReadLimits = {
    maxBytes: Math.min(limits.maxBytes, PROBE_LIMITS.maxBytes),
    readTimeoutMs: Math.min(limits.readTimeoutMs, PROBE_LIMITS.readTimeoutMs),
  };

  const receive = async (exchange: Exchange): Promise<Outcome | Refusal> => {
    const { request, route } = exchange;
    if (request.method !== 'POST') return WRONG_METHOD;
    if (isDraining()) return DRAINING;
    const oversize = checkAnnouncedSize(request.headers, limits.maxBytes);
    if (oversize) return oversize;

    // Before the body is read.
    const grant = await authenticate(request, route);
    if (grant.level === 'none') return grant.refusal;

    const bytes = await readBody(request, grant.level === 'probe' ? probeLimits : limits);
    if (bytes === SENDER_HUNG_UP) return SENDER_HUNG_UP;
    const text = isRefusal(bytes) ? bytes : decodeBody(bytes);
    const json = isRefusal(text) ? text : parseJson(text, limits.depth);

    if (!isRefusal(json) && isProbe(json)) return { kind: 'probe', bot: grant.bot, endpoint: grant.tested };
    // A sender who may only send probes gets no details about other bodies.
    if (grant.level === 'probe') return grant.refusal;
    if (isRefusal(json)) return json;

    const body = validateBody(grant.endpoint, json);
    if (isRefusal(body)) return body;
    const event = await toEvent(exchange, grant, { body, json, text });
    if (isRefusal(event)) return event;

    if (event.name === 'handoff.requested') {
      if (!acceptsHandoffs()) return NO_HANDLER;
      const admitted = (await delivery.seen(event)) || (await dispatcher.admit(event));
      if (admitted !== true) return refuse(503, admitted, { detail: 'refused by the admit gate' });
    } else if (isDropped(event.name)) return { kind: 'event', event, acceptance: 'dropped' };

    const acceptance = await delivery.accept(event);
    return refusalOf(acceptance) ?? { kind: 'event', event, acceptance };
  };

  const toEvent = async (
    { requestId, receivedAt }: Exchange,
    { endpoint, bot }: { readonly endpoint: WebhookEndpoint; readonly bot: string },
    { body, json, text }: { body: WebhookBody<WebhookEndpoint>; json: JsonObject; text: unknown },
  ): Promise<DeliveredEvent | Refusal> => {
    const name = EVENT_OF_ENDPOINT[endpoint];
    const conversationId = bots.conversationIdOf({ bot, platformId: body.conversation_id });
    let session: number | undefined;
    if (needsSession(endpoint, body)) {
      try {
        session = await findSession(endpoint === 'close' ? 'close' : 'establish', conversationId);
      } catch (error) {
        dispatcher.report(error, { event: name, bot, conversationId, requestId });
        return UNAVAILABLE;
      }
    }
    return {
      name,
      bot,
      key: eventKey(endpoint, body, { bot, session }),
      conversationId,
      body,
      // The body as it was received, where validation has changed it.
      ...(!Object.is(body, json) ? { raw: json } : typeof text === 'string' && { text }),
      receivedAt,
      requestId,
    } as DeliveredEvent;
  };

  const serve = async (exchange: Exchange, send: SendAnswer): Promise<void> => {
    const { route, requestId } = exchange;
    try {
      const outcome = await receive(exchange);
      if (isRefusal(outcome)) {
        if (outcome !== SENDER_HUNG_UP) send(answers.refusal(route.endpoint, requestId, outcome));
        await requestLog.refused(exchange, outcome, () => isProbeRequest(exchange.request, limits.depth));
      } else {
        try {
          send(answers.success(route.endpoint, requestId));
          requestLog.accepted(exchange, outcome);
        } finally {
          // Even if the answer could not be sent: held replies would wait for ever, unnoticed.
          await followUp(exchange, outcome);
        }
      }
    } catch (error) {
      dispatcher.report(error, { requestId });
      sendInternalError(route, requestId, send);
    } finally {
      inFlight.leave();
    }
  };

  /** Work that the sender does not wait for, but a closing receiver does. */
  const followUp = async ({ requestId, receivedAt }: Exchange, outcome: Outcome): Promise<void> => {
    const reported = (work: Promise<void>, place: FailureDetails): Promise<void> =>
      work.catch((error: unknown) => dispatcher.report(error, place));

    if (outcome.kind === 'probe') {
      const { bot, endpoint } = outcome;
      const observed = dispatcher.observe({ endpoint }, { bot, requestId, receivedAt });
      return reported(observed, { event: 'probe', bot, requestId });
    }
    await delivery.answered?.(outcome.event);
  };

  /** The binding may be what failed. Then the operator learns of it, and the sender gets no answer. */
  const sendInternalError = ({ endpoint }: Route, requestId: string, send: SendAnswer): void => {
    try {
      send(answers.internalError(endpoint, requestId));
    } catch (error) {
      dispatcher.report(error, { requestId });
    }
  };

  /** Other methods on the root of the mount, or below a segment that is no token, may belong to another handler. */
  const isOurs = (route: Route, method: string): boolean => {
    if (method === 'POST') return true;
    return route.endpoint !== 'root' && (route.pathToken === undefined || isToken(route.pathToken));
  };

  const serveTraced = trace.request(serve);

  return {
    handle(request, send) {
      const route = routes(request.url);
      if (!route || !isOurs(route, request.method)) {
        requestLog.missed(request.method);
        return null;
      }
      inFlight.enter();
      const requestId = requestIdOf(request.id, request.headers);
      return serveTraced({ request, route, requestId, receivedAt: Date.now() }, once(send));
    },
    notFound: ({ id, headers }) => answers.refusal('root', requestIdOf(id, headers), NOT_FOUND),
  };
}

const NOT_FOUND = refuse(404, 'not found');
const WRONG_METHOD = refuse(405, 'method not allowed', { headers: { allow: 'POST' } });
const DRAINING = refuse(503, 'shutting down', { headers: { 'retry-after': '5' }, closesConnection: true });
const NO_HANDLER = refuse(503, NO_AGENT, {
  detail: `there is no handler for handoff.requested: ${ADD_HANDOFF_HANDLER}`,
});
const FAILED = refuse(500, 'handler failed');
const FULL = refuse(503, 'too busy', {
  detail: 'too many events are waiting to be handled',
  headers: { 'retry-after': '1' },
});
const UNAVAILABLE = refuse(503, 'cannot store', {
  detail: 'the event could not be stored',
  headers: { 'retry-after': '1' },
});

function refusalOf(acceptance: Acceptance): Refusal | null {
  if (acceptance === 'failed') return FAILED;
  if (acceptance === 'full') return FULL;
  return acceptance === 'unavailable' ? UNAVAILABLE : null;
}

function validateBody(endpoint: WebhookEndpoint, json: JsonObject): WebhookBody<WebhookEndpoint> | Refusal {
  try {
    return validateWebhook(endpoint, json);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return refuse(400, refusalText(error), { detail: error.message });
  }
}

/** Names the wrong fields to the sender, by the contract's own names. */
function refusalText(error: ValidationError): string {
  if (error.code === 'OLD_MESSAGE_FORMAT') return 'deprecated message format (V1)';
  return `invalid body: ${error.issues.map(({ path }) => path || 'body').join(', ')}`;
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

/**
 * Whether a request that was refused for its credentials was an availability probe: the operator needs to know, since
 * the platform now shows the webhook as unreachable. Read after the answer, for the log alone.
 */
async function isProbeRequest(request: ReceiverRequest, maxDepth: number): Promise<boolean> {
  const body = await readBody(request, PROBE_LIMITS);
  const read = isRefusal(body) ? body : decodeBody(body);
  if (isRefusal(read)) return false;
  const json = parseJson(read, maxDepth);
  return !isRefusal(json) && isProbe(json);
}
