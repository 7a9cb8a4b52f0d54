import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createPending, type Pending } from '../internal/index.js';
import { HUNG_UP, isRefusal, type ReadLimits, readStream } from '../receiver/index.js';
import { AdapterError } from './adapter-error.js';
import type { InboundRequest, ParsedWebhook, SignatureVerdict } from './inbound.js';
import type { BridgeParts } from './parts.js';
import type { ReceiveEvents } from './receive-events.js';

/** A request handler of Express, or of `http.createServer`. */
export type WebhookHandler = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void;

/** The webhook, and what is under way in it. */
export interface Webhook {
  readonly handle: WebhookHandler;
  readonly inFlight: Pending;
}

interface Answer {
  readonly status: number;
  readonly reason?: string;
  readonly answer?: ParsedWebhook['answer'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly closesConnection?: boolean;
}

const NO_BYTES =
  'something before the webhook read the request and kept no bytes, so no signature can be judged. Mount bridge.webhook before express.json(), or keep the bytes: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })';

/** Makes the webhook that the system sends its events to. 200 means that everything in the request is safe. */
export function createWebhook(parts: BridgeParts, events: ReceiveEvents): Webhook {
  const { adapter, settings, calls, counters, log } = parts;
  const limits = { maxBytes: settings.bodyBytes, readTimeoutMs: settings.readTimeoutMs };
  const inFlight = createPending();

  const take = async (request: InboundRequest): Promise<Answer> => {
    const verdict: SignatureVerdict = adapter.verify?.(request) ?? 'unsigned';
    if (verdict !== 'genuine') {
      counters.count('forged');
      log.warn({ verdict }, 'a webhook request was refused: it is not genuine');
      return { status: 401, reason: 'unauthorized' };
    }
    const parsed = parse(request);
    if (!parsed) return { status: 400, reason: 'not understood' };
    try {
      await events.receive(parsed.events);
    } catch (error) {
      log.error({ err: error }, 'what the system told could not be stored: it is asked to tell it again');
      return { status: 503, reason: 'cannot store', headers: { 'retry-after': '5' } };
    }
    return parsed.answer ? { status: 200, answer: parsed.answer } : { status: 200 };
  };

  const parse = (request: InboundRequest): ParsedWebhook | null => {
    try {
      return adapter.parse?.(request) ?? null;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn({ err: error }, 'a genuine webhook request was not understood');
      return null;
    }
  };

  const answerTo = async (request: IncomingMessage): Promise<Answer | null> => {
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
    const body = await bytesOf(request, limits);
    if (body === null) {
      log.error({}, NO_BYTES);
      return { status: 500, reason: 'body not available' };
    }
    if (body === HUNG_UP) return null;
    if (isRefusal(body)) {
      const { status, reason, detail, closesConnection = false } = body;
      log.warn({ status, reason, detail }, 'a webhook request was refused');
      return { status, reason, closesConnection };
    }
    const { method, url = '/' } = request;
    return take({ method, url, headers: joined(request.headers), body, receivedAt });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight.enter();
    try {
      const answer = await answerTo(request);
      if (answer) send(response, answer);
    } catch (error) {
      log.error({ err: error }, 'the adapter failed to read a webhook request');
      send(response, { status: 500, reason: 'internal error' });
    } finally {
      inFlight.leave();
    }
  };

  return { inFlight, handle: (request, response) => void serve(request, response) };
}

/** The body as it came; `null` where only somebody else's reading of it is left. */
async function bytesOf(
  request: IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown },
  limits: ReadLimits,
) {
  const { rawBody, body } = request;
  const kept = [rawBody, body].find((each) => each instanceof Buffer);
  if (kept instanceof Buffer) return kept;
  if (!request.readableDidRead && !request.readableEnded) return readStream(request, limits);
  return typeof rawBody === 'string' ? Buffer.from(rawBody) : null;
}

const joined = (headers: IncomingHttpHeaders): InboundRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

function send(
  response: ServerResponse,
  { status, reason, answer, headers, closesConnection = false }: Answer,
): void {
  if (response.headersSent) return;
  const body = answer?.body ?? (reason === undefined ? '' : JSON.stringify({ error: reason }));
  response.writeHead(status, {
    ...(body === '' ? {} : { 'content-type': answer?.contentType ?? 'application/json' }),
    'content-length': Buffer.byteLength(body),
    ...headers,
    ...(closesConnection && { connection: 'close' }),
  });
  response.end(body);
}
