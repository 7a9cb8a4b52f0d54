import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Acceptance, Delivery } from '../delivery/index.js';
import { type DeliveredEvent, type Dispatcher, EVENT_OF, eventKey } from '../events/index.js';
import { isProbe, ValidationError, validateWebhook, type WebhookEndpoint } from '../protocol/index.js';
import type { Authenticate, Grant } from './authenticate.js';
import { decodeBody, type JsonObject, parseJson } from './parse-json.js';
import { checkAnnouncedSize, HUNG_UP, type ReadLimits } from './read-body.js';
import { isRefusal, type Refusal, refuse } from './refusal.js';
import type { Route } from './routes.js';

/** What the pipeline is made of. */
export interface PipelineParts {
  readonly isDraining: () => boolean;
  readonly authenticate: Authenticate;
  readonly limits: ReadLimits & { readonly depth: number };
  readonly dispatcher: Dispatcher;
  readonly delivery: Delivery;
}

/** One request on its way. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** The request's headers: to look for them costs, so it is done once. */
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly requestId: string;
  readonly receivedAt: number;
}

/** What became of a request that was not refused. */
export type Outcome =
  | { readonly kind: 'probe' }
  | { readonly kind: 'event'; readonly event: DeliveredEvent; readonly acceptance: Acceptance };

const DRAINING = refuse(503, 'shutting down', { headers: { 'retry-after': '5' }, hangUp: true });
const FAILED = refuse(500, 'handler failed');
const FULL = refuse(503, 'too busy', {
  detail: 'too many events are waiting to be handled',
  headers: { 'retry-after': '1' },
});

const UNAVAILABLE = refuse(503, 'cannot store', {
  detail: 'the event could not be stored',
  headers: { 'retry-after': '1' },
});

/**
 * Takes a request that came to a known path through every step up to its answer, in two parts: its body is read
 * between them.
 */
export interface Pipeline {
  /** Whether the request may go on, judged by all but its body. */
  enter(exchange: Exchange): Grant | Refusal | Promise<Grant>;
  /** What becomes of it, now that its body was read. There is a promise only where somebody must be waited for. */
  take(exchange: Exchange, grant: Entry, raw: unknown): Result | Promise<Result>;
}

/** What a request that may go on may do. */
type Entry = Exclude<Grant, { readonly level: 'none' }>;

type Result = Outcome | Refusal;

/** Makes the pipeline. Each step either lets the request go on or returns its refusal. */
export function createPipeline({
  isDraining,
  authenticate,
  limits,
  dispatcher,
  delivery,
}: PipelineParts): Pipeline {
  const observe = async ({ route, requestId, receivedAt }: Exchange): Promise<Outcome> => {
    await dispatcher.observe({ endpoint: route.endpoint }, requestId, receivedAt);
    return { kind: 'probe' };
  };

  const accept = (event: DeliveredEvent): Result | Promise<Result> => {
    const accepted = delivery.accept(event);
    return accepted instanceof Promise
      ? accepted.then((acceptance) => resultOf(event, acceptance))
      : resultOf(event, accepted);
  };

  const admit = async (event: DeliveredEvent<'handoff.requested'>): Promise<Result> => {
    if (await delivery.seen(event)) return accept(event);
    const admitted = await dispatcher.admit(event);
    return admitted === true ? accept(event) : refuse(503, admitted, { detail: 'refused by the admit gate' });
  };

  return {
    enter({ request, headers, route }) {
      if (isDraining()) return DRAINING;
      return checkAnnouncedSize(headers, limits.maxBytes) ?? authenticate(request, headers, route);
    },
    take(exchange, grant, raw) {
      if (raw === HUNG_UP) return HUNG_UP;
      const read = isRefusal(raw) ? raw : decodeBody(raw);
      const body = isRefusal(read) ? read : parseJson(read, limits.depth);

      if (!isRefusal(body) && isProbe(body)) return observe(exchange);
      // Who may only send probes is not told what else is wrong with a body.
      if (grant.level === 'probe') return grant.otherwise;
      if (isRefusal(body)) return body;

      const event = toEvent(grant.endpoint, body, read, exchange);
      if (isRefusal(event)) return event;
      return event.name === 'handoff.requested' ? admit(event) : accept(event);
    },
  };
}

function resultOf(event: DeliveredEvent, acceptance: Acceptance): Result {
  if (acceptance === 'failed') return FAILED;
  if (acceptance === 'full') return FULL;
  if (acceptance === 'unavailable') return UNAVAILABLE;
  return { kind: 'event', event, acceptance };
}

function toEvent(
  endpoint: WebhookEndpoint,
  json: JsonObject,
  read: unknown,
  { requestId, receivedAt }: Exchange,
): DeliveredEvent | Refusal {
  try {
    const body = validateWebhook(endpoint, json);
    return {
      name: EVENT_OF[endpoint],
      key: eventKey(endpoint, body, requestId),
      conversationId: body.conversation_id,
      body,
      text: Object.is(body, json) && typeof read === 'string' ? read : undefined,
      receivedAt,
      requestId,
    } as DeliveredEvent;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return refuse(400, refusalText(error), { detail: error.message });
  }
}

/** Which fields are wrong, for the sender: paths only, which are the contract's own names. */
function refusalText(error: ValidationError): string {
  if (error.code === 'OLD_MESSAGE_FORMAT') return 'deprecated message format (V1)';
  const places = error.issues.slice(0, 10).map(({ path }) => path || 'body');
  return `invalid body: ${[...new Set(places)].join(', ')}`;
}
