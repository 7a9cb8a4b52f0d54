import type { Acceptance, Delivery } from '../delivery/index.js';
import {
  type BotDirectory,
  type DeliveredEvent,
  type DeliveredEventName,
  type Dispatcher,
  EVENT_OF_ENDPOINT,
  eventKey,
  NO_HUMAN,
  needsSession,
} from '../events/index.js';
import {
  isProbe,
  ValidationError,
  validateWebhook,
  type WebhookBody,
  type WebhookEndpoint,
} from '../protocol/index.js';
import { isRefusal, type Refusal, refuse } from './answer.js';
import type { Authenticate, Grant } from './auth/authenticate.js';
import type { FindSession } from './current-session.js';
import { ADD_HANDOFF_HANDLER } from './options.js';
import { decodeBody, type JsonObject, parseJson } from './parse-json.js';
import { checkAnnouncedSize, type ReadLimits, SENDER_HUNG_UP } from './read-body.js';
import type { ReceiverRequest } from './request.js';
import type { Route } from './routes.js';

/** Options of {@link createPipeline}. */
export interface PipelineOptions {
  readonly isDraining: () => boolean;
  /** Makes the ids of conversations. */
  readonly bots: Pick<BotDirectory, 'conversationIdOf'>;
  readonly authenticate: Authenticate;
  readonly limits: ReadLimits & { readonly depth: number };
  readonly dispatcher: Dispatcher;
  readonly delivery: Pick<Delivery, 'accept' | 'seen'>;
  /** Whether handoff requests are accepted: they have a handler, or the application does without. */
  readonly acceptsHandoffs: () => boolean;
  /** Finds the session of a handoff event without a timestamp, which is part of its key. */
  readonly findSession: FindSession;
  /** Whether events of this name are acknowledged and dropped, since no handler is registered. */
  readonly isDropped: (name: DeliveredEventName) => boolean;
}

/** One request, and what is known of it before it is read. */
export interface Exchange {
  readonly request: ReceiverRequest;
  readonly route: Route;
  readonly requestId: string;
  readonly receivedAt: number;
}

/** The outcome of a request that was not refused. */
export type Outcome =
  | { readonly kind: 'probe'; readonly bot: string | null }
  | { readonly kind: 'event'; readonly event: DeliveredEvent; readonly acceptance: Acceptance | 'dropped' };

const DRAINING = refuse(503, 'shutting down', { headers: { 'retry-after': '5' }, closesConnection: true });
const FAILED = refuse(500, 'handler failed');
const NO_HANDLER = refuse(503, NO_HUMAN, {
  detail: `there is no handler for handoff.requested: ${ADD_HANDOFF_HANDLER}`,
});
const FULL = refuse(503, 'too busy', {
  detail: 'too many events are waiting to be handled',
  headers: { 'retry-after': '1' },
});

const UNAVAILABLE = refuse(503, 'cannot store', {
  detail: 'the event could not be stored',
  headers: { 'retry-after': '1' },
});

/**
 * The steps from a matched path to an answer, in order. `handle.ts` reads the body between `enter` and `take`.
 *
 * 1. draining: 503; announced size over the limit: 413
 * 2. authenticate from headers or path: 401
 * 3. (the body is read, within a size and a time)
 * 4. parse strict JSON: 400
 * 5. a probe: 200
 * 6. validate: 400 with field paths, never values
 * 7. a handoff request: without a handler 503; ask the gates, 503 with the reason
 * 8. pass the event to the delivery, whose result decides the answer
 */
export interface Pipeline {
  /** Steps 1 and 2. */
  enter(exchange: Exchange): Grant | Refusal | Promise<Grant>;
  /** Steps 4 to 8. Returns a promise only if it must wait. */
  take(exchange: Exchange, grant: UsableGrant, raw: unknown): Result | Promise<Result>;
}

type UsableGrant = Exclude<Grant, { readonly level: 'none' }>;

type Result = Outcome | Refusal;

/** Creates a {@link Pipeline}. */
export function createPipeline({
  isDraining,
  bots,
  authenticate,
  limits,
  dispatcher,
  delivery,
  acceptsHandoffs,
  findSession,
  isDropped,
}: PipelineOptions): Pipeline {
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

  const pass = (event: DeliveredEvent): Result | Promise<Result> => {
    if (event.name === 'handoff.requested') return acceptsHandoffs() ? admit(event) : NO_HANDLER;
    return isDropped(event.name) ? { kind: 'event', event, acceptance: 'dropped' } : accept(event);
  };

  const passInSession = async (received: ReceivedBody): Promise<Result> => {
    const { endpoint, bot, conversationId, requestId } = received;
    try {
      const session = await findSession(endpoint === 'close' ? 'close' : 'establish', conversationId);
      return pass(toEvent(received, session));
    } catch (error) {
      dispatcher.report(error, { event: EVENT_OF_ENDPOINT[endpoint], bot, conversationId, requestId });
      return UNAVAILABLE;
    }
  };

  return {
    enter({ request, route }) {
      if (isDraining()) return DRAINING;
      return checkAnnouncedSize(request.headers, limits.maxBytes) ?? authenticate(request, route);
    },
    take(exchange, grant, raw) {
      if (raw === SENDER_HUNG_UP) return SENDER_HUNG_UP;
      const read = isRefusal(raw) ? raw : decodeBody(raw);
      const body = isRefusal(read) ? read : parseJson(read, limits.depth);

      if (!isRefusal(body) && isProbe(body)) return { kind: 'probe', bot: grant.bot };
      // A sender who may only send probes gets no details about other bodies.
      if (grant.level === 'probe') return grant.otherwise;
      if (isRefusal(body)) return body;

      const valid = validateBody(grant.endpoint, body);
      if (isRefusal(valid)) return valid;
      const { endpoint, bot } = grant;
      const { requestId, receivedAt } = exchange;
      const conversationId = bots.conversationIdOf({ bot, platformId: valid.conversation_id });
      const received = {
        endpoint,
        bot,
        conversationId,
        body: valid,
        json: body,
        read,
        requestId,
        receivedAt,
      };
      return needsSession(endpoint, valid) ? passInSession(received) : pass(toEvent(received));
    },
  };
}

function resultOf(event: DeliveredEvent, acceptance: Acceptance): Result {
  if (acceptance === 'failed') return FAILED;
  if (acceptance === 'full') return FULL;
  if (acceptance === 'unavailable') return UNAVAILABLE;
  return { kind: 'event', event, acceptance };
}

/** A valid body, with what its event needs. */
interface ReceivedBody extends Pick<Exchange, 'requestId' | 'receivedAt'> {
  readonly endpoint: WebhookEndpoint;
  readonly bot: string;
  /** The conversation's id, unique among all bots. */
  readonly conversationId: string;
  readonly body: WebhookBody<WebhookEndpoint>;
  /** The body before it was validated. */
  readonly json: JsonObject;
  /** Its text, unless a body parser has read it. */
  readonly read: unknown;
}

function validateBody(endpoint: WebhookEndpoint, json: JsonObject): WebhookBody<WebhookEndpoint> | Refusal {
  try {
    return validateWebhook(endpoint, json);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return refuse(400, refusalText(error), { detail: error.message });
  }
}

function toEvent(
  { endpoint, bot, conversationId, body, json, read, requestId, receivedAt }: ReceivedBody,
  session?: number,
): DeliveredEvent {
  return {
    name: EVENT_OF_ENDPOINT[endpoint],
    bot,
    key: eventKey(endpoint, body, { bot, session }),
    conversationId,
    body,
    ...(!Object.is(body, json) ? { raw: json } : typeof read === 'string' && { text: read }),
    receivedAt,
    requestId,
  } as DeliveredEvent;
}

/** Names the wrong fields to the sender, by the contract's own names. */
function refusalText(error: ValidationError): string {
  if (error.code === 'OLD_MESSAGE_FORMAT') return 'deprecated message format (V1)';
  return `invalid body: ${error.issues.map(({ path }) => path || 'body').join(', ')}`;
}
