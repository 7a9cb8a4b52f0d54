import { channels, traceRequest } from '../../diagnostics/index.js';
import { createTaskCounter, type TaskCounter } from '../../internal/index.js';
import {
  isRefusal,
  type ReceiverAnswer,
  type ReceiverRequest,
  type RequestHandling,
  readBytes,
  SENDER_HUNG_UP,
  type SendAnswer,
} from '../../receiver/index.js';
import {
  AdapterError,
  type InboundRequest,
  type ParsedWebhook,
  type SignatureVerdict,
} from '../adapter/adapter-types.js';
import type { BridgeContext } from '../bridge-context.js';
import { readEvents } from './read-events.js';
import { type EventReceiver, UndeliverableReply } from './receive-events.js';
import type { StoredEvents } from './stored-events.js';

/** The webhook endpoint and its requests in flight. */
export interface HelpdeskWebhook extends RequestHandling {
  readonly inFlight: TaskCounter;
}

interface WebhookResult {
  readonly status: number;
  readonly reason?: string;
  readonly content?: ParsedWebhook['response'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly closesConnection?: boolean;
}

const NOT_FOUND: WebhookResult = { status: 404, reason: 'not found' };
const INTERNAL_ERROR: WebhookResult = { status: 500, reason: 'internal error' };

const NO_RAW_BODY =
  'another middleware consumed the request body, so the signature cannot be verified. Mount bridge.webhook before express.json(), or keep the raw body: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })';

/**
 * Creates the endpoint for the helpdesk's webhooks. It answers 200 once all events of the request are safe, and 422 where
 * that marks a reply as undelivered. With a database, no call to the helpdesk or the platform comes before the answer.
 */
export function createWebhook(
  bridge: BridgeContext,
  events: EventReceiver,
  stored: StoredEvents | null,
  receiver: object,
): HelpdeskWebhook {
  const { adapter, settings, calls, counters, log } = bridge;
  const limits = { maxBytes: settings.bodyBytes, readTimeoutMs: settings.readTimeoutMs };
  const rejectsUndeliverable = adapter.capabilities.marksFailedWebhooks === true;
  const inFlight = createTaskCounter();

  const processRequest = async (request: InboundRequest): Promise<WebhookResult> => {
    const verdict: SignatureVerdict = adapter.verify?.(request) ?? 'unsigned';
    if (verdict !== 'genuine') {
      counters.count('forged');
      log.warn({ verdict }, 'webhook request refused: it is not genuine');
      return { status: 401, reason: 'unauthorized' };
    }
    const parsed = parse(request);
    if (!parsed) return { status: 400, reason: 'not understood' };
    try {
      if (stored && (await events.mayAskHelpdesk(parsed.events))) await stored.accept(parsed.events);
      else await events.receive(parsed.events, { rejectsUndeliverable });
    } catch (error) {
      if (error instanceof UndeliverableReply) return { status: 422, reason: 'not delivered' };
      const level = error instanceof AdapterError ? 'warn' : 'error';
      log[level](
        { err: error },
        'events of a webhook request could not be stored; answered 503 so that the helpdesk sends them again',
      );
      return { status: 503, reason: 'cannot store', headers: { 'retry-after': '5' } };
    }
    return parsed.response ? { status: 200, content: parsed.response } : { status: 200 };
  };

  const parse = (request: InboundRequest): ParsedWebhook | null => {
    try {
      const parsed = adapter.parse?.(request);
      return parsed ? { ...parsed, events: readEvents(bridge, parsed.events) } : null;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn({ err: error }, 'the adapter could not read a genuine webhook request');
      return null;
    }
  };

  const respondTo = async (request: ReceiverRequest): Promise<WebhookResult | null> => {
    if (!adapter.capabilities.inbound.includes('webhook')) return NOT_FOUND;
    // Helpdesks such as Intercom validate a new webhook address with HEAD.
    if (request.method === 'HEAD') return { status: 200 };
    if (request.method !== 'POST')
      return { status: 405, reason: 'method not allowed', headers: { allow: 'POST' } };
    if (calls.ended)
      return {
        status: 503,
        reason: 'shutting down',
        headers: { 'retry-after': '5' },
        closesConnection: true,
      };
    const receivedAt = Date.now();
    const body = await readBytes(request, limits);
    if (body === null) {
      log.error({}, NO_RAW_BODY);
      return { status: 500, reason: 'body not available' };
    }
    if (body === SENDER_HUNG_UP) return null;
    if (isRefusal(body)) {
      const { status, reason, detail, closesConnection = false } = body;
      log.warn({ status, reason, detail }, 'webhook request refused');
      return { status, reason, closesConnection };
    }
    const { method, url, headers } = request;
    return processRequest({
      method,
      url,
      headers: joinRepeated(headers),
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
      receivedAt,
    });
  };

  const handle: RequestHandling['handle'] = async (request, send) => {
    inFlight.enter();
    const result = await respondTo(request).catch((error: unknown) => {
      log.error({ err: error }, 'the adapter threw while reading a webhook request');
      return INTERNAL_ERROR;
    });
    if (result && !trySend(send, result)) trySend(send, INTERNAL_ERROR);
    inFlight.leave();
  };

  /** The answer or the binding may be what failed. If another answer fails as well, the helpdesk gets none. */
  const trySend = (send: SendAnswer, result: WebhookResult): boolean => {
    try {
      send(toAnswer(result));
      return true;
    } catch (error) {
      log.error({ err: error, status: result.status }, 'the answer to a webhook request could not be sent');
      return false;
    }
  };

  return {
    inFlight,
    handle: traced(handle, receiver, adapter.name),
    notFound: () => toAnswer(NOT_FOUND),
  };
}

const joinRepeated = (headers: ReceiverRequest['headers']): InboundRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

function toAnswer({
  status,
  reason,
  content,
  headers,
  closesConnection = false,
}: WebhookResult): ReceiverAnswer {
  const body = content?.body ?? (reason === undefined ? '' : JSON.stringify({ error: reason }));
  return {
    status,
    headers: {
      ...(body === '' ? {} : { 'content-type': content?.contentType ?? 'application/json' }),
      'content-length': Buffer.byteLength(body),
      ...headers,
      ...(closesConnection && { connection: 'close' }),
    },
    body,
  };
}

/** Publishes the requests while anything subscribes. */
function traced(
  handle: RequestHandling['handle'],
  receiver: object,
  adapter: string,
): RequestHandling['handle'] {
  return (request, send) => {
    if (!channels.webhook.hasSubscribers) return handle(request, send);
    const { method, headers } = request;
    const message = { receiver, adapter, method, headers, status: null };
    return traceRequest(channels.webhook, message, (onAnswer) =>
      Promise.resolve(
        handle(request, (answer) => {
          onAnswer(answer.status);
          send(answer);
        }) ?? undefined,
      ),
    );
  };
}
