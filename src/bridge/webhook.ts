import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createTaskCounter, type TaskCounter } from '../internal/index.js';
import { isRefusal, type ReadLimits, readStream, SENDER_HUNG_UP } from '../receiver/index.js';
import { AdapterError } from './adapter-error.js';
import type { InboundRequest, ParsedWebhook, SignatureVerdict } from './adapter-types.js';
import type { BridgeContext } from './bridge-context.js';
import type { EventReceiver } from './receive-events.js';

/** A request handler for Express or `http.createServer`. */
export type WebhookHandler = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void;

/** The webhook endpoint and its requests in flight. */
export interface WebhookEndpoint {
  readonly handle: WebhookHandler;
  readonly inFlight: TaskCounter;
}

interface WebhookResponse {
  readonly status: number;
  readonly reason?: string;
  readonly content?: ParsedWebhook['response'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly closesConnection?: boolean;
}

const NO_RAW_BODY =
  'another middleware consumed the request body, so the signature cannot be verified. Mount bridge.webhook before express.json(), or keep the raw body: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })';

/** Creates the endpoint for the helpdesk's webhooks. It answers 200 once all events of the request are safe. */
export function createWebhook(bridge: BridgeContext, events: EventReceiver): WebhookEndpoint {
  const { adapter, settings, calls, counters, log } = bridge;
  const limits = { maxBytes: settings.bodyBytes, readTimeoutMs: settings.readTimeoutMs };
  const inFlight = createTaskCounter();

  const processRequest = async (request: InboundRequest): Promise<WebhookResponse> => {
    const verdict: SignatureVerdict = adapter.verify?.(request) ?? 'unsigned';
    if (verdict !== 'genuine') {
      counters.count('forged');
      log.warn({ verdict }, 'webhook request refused: it is not genuine');
      return { status: 401, reason: 'unauthorized' };
    }
    const parsed = parse(request);
    if (!parsed) return { status: 400, reason: 'not understood' };
    try {
      await events.receive(parsed.events);
    } catch (error) {
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
      return adapter.parse?.(request) ?? null;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn({ err: error }, 'the adapter could not read a genuine webhook request');
      return null;
    }
  };

  const respondTo = async (request: IncomingMessage): Promise<WebhookResponse | null> => {
    if (!adapter.capabilities.inbound.includes('webhook')) return { status: 404, reason: 'not found' };
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
    const body = await readRawBody(request, limits);
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
    const { method, url = '/' } = request;
    return processRequest({ method, url, headers: joinRepeated(request.headers), body, receivedAt });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight.enter();
    try {
      const result = await respondTo(request);
      if (result) send(response, result);
    } catch (error) {
      log.error({ err: error }, 'the adapter threw while reading a webhook request');
      send(response, { status: 500, reason: 'internal error' });
    } finally {
      inFlight.leave();
    }
  };

  return { inFlight, handle: (request, response) => void serve(request, response) };
}

/** The body's bytes; `null` when another middleware consumed them and kept only a parsed body. */
async function readRawBody(
  request: IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown },
  limits: ReadLimits,
) {
  const { rawBody, body } = request;
  const kept = [rawBody, body].find((each) => each instanceof Buffer);
  if (kept instanceof Buffer) return kept;
  if (!request.readableDidRead && !request.readableEnded) return readStream(request, limits);
  return typeof rawBody === 'string' ? Buffer.from(rawBody) : null;
}

const joinRepeated = (headers: IncomingHttpHeaders): InboundRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

function send(
  response: ServerResponse,
  { status, reason, content, headers, closesConnection = false }: WebhookResponse,
): void {
  if (response.headersSent) return;
  const body = content?.body ?? (reason === undefined ? '' : JSON.stringify({ error: reason }));
  response.writeHead(status, {
    ...(body === '' ? {} : { 'content-type': content?.contentType ?? 'application/json' }),
    'content-length': Buffer.byteLength(body),
    ...headers,
    ...(closesConnection && { connection: 'close' }),
  });
  response.end(body);
}
