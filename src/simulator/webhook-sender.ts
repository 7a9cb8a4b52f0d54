import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Clock, sleep } from './clock.js';
import { createConversationQueues } from './conversation-queues.js';
import type { DeliveryEvent, Faults } from './faults.js';
import { credentialHeaders, postJson, type WebhookCredentials, wrongCredentials } from './sending/post.js';
import type { TrafficRecorder } from './traffic.js';

/** The outcome of one delivery to a receiver. */
export interface SentWebhook {
  readonly event: DeliveryEvent;
  readonly url: string;
  /** The HTTP status of the answer; `null` if there was none. */
  readonly status: number | null;
  /** The answer's body: parsed if it is JSON, else text; `null` if there was no answer. */
  readonly body: unknown;
  readonly latencyMs: number;
  /** Why there was no answer; `null` if there was one. */
  readonly error: string | null;
  /** True only if the status is 200. */
  readonly accepted: boolean;
  /** The outcomes of the copies that a fault caused. */
  readonly copies: readonly SentWebhook[];
}

interface DeliveryRequest {
  event: DeliveryEvent;
  url: string;
  body: object;
  credentials: WebhookCredentials;
  timeoutMs: number;
  /** Deliveries with the same key are sent in order, one at a time. */
  queueKey: string;
  /** Called right before sending. Returns a reason not to send, if any. */
  skipReason?: () => string | null;
  /** Called with the outcome before the next delivery of the key is sent. */
  onResult?: (delivery: SentWebhook) => void;
}

/** Delivers to receivers, in order per key, with the active faults applied. */
export interface WebhookSender {
  deliver: (request: DeliveryRequest) => Promise<SentWebhook>;
  /** Resolves when no delivery is queued or in flight. */
  idle: () => Promise<void>;
  close: () => void;
}

/** Shorter than a Node server's keep-alive (5 s), so that no delivery uses a connection that is being closed. */
const KEEP_ALIVE_MS = 1_000;

/** `signal` aborts deliveries in flight. */
export function createWebhookSender(options: {
  clock: Clock;
  faults: Faults;
  traffic: TrafficRecorder;
  signal: AbortSignal;
}): WebhookSender {
  const { clock, faults, traffic, signal } = options;
  const agentOptions = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const httpAgents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  const queues = createConversationQueues(clock, signal);

  const sendOnce = async (
    request: DeliveryRequest,
    applied: readonly string[],
    change: { url?: string; breakAt?: 'body' | 'answer' } = {},
  ): Promise<SentWebhook> => {
    const url = change.url ?? request.url;
    const hasWrongCredentials = applied.includes('wrongCredentials');
    const headers = credentialHeaders(
      hasWrongCredentials ? wrongCredentials(request.credentials) : request.credentials,
    );
    const payload = JSON.stringify(request.body);
    const exchange = traffic.open({
      direction: 'sent',
      what: request.event,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: payload,
      faults: applied,
    });
    const { timeoutMs } = request;
    const breakAt = change.breakAt ? { breakAt: change.breakAt } : {};
    const result = await postJson({ url, payload, headers, timeoutMs, signal, httpAgents, ...breakAt });
    if (result.status === null) exchange.failed(result.error ?? 'failed');
    else exchange.answered(result.status, result.headers, result.text);
    return {
      event: request.event,
      url,
      status: result.status,
      body: result.status === null ? null : parsed(result.text),
      latencyMs: result.latencyMs,
      error: result.error,
      accepted: result.status === 200,
      copies: [],
    };
  };

  const send = async (request: DeliveryRequest): Promise<SentWebhook> => {
    const reason = request.skipReason?.();
    if (reason) return notSent(request, reason);
    const { event } = request;
    const delay = faults.take('delay', event);
    const wrong = faults.take('wrongCredentials', event);
    const drop = faults.take('drop', event);
    const mirror = faults.take('mirror', event);
    const duplicate = faults.take('duplicate', event);
    const applied = Object.entries({ delay, wrongCredentials: wrong, drop, mirror, duplicate })
      .filter(([, fault]) => fault)
      .map(([name]) => name);

    if (delay) await sleep(clock, delay.delayMs, signal);
    const mirrored = mirror ? sendOnce(request, applied, { url: mirror.url }) : undefined;
    const dropped = drop ? await sendOnce(request, applied, { breakAt: drop.at }) : undefined;
    const first = dropped && !drop?.resend ? dropped : await sendOnce(request, applied);
    const copies = dropped && dropped !== first ? [dropped] : [];
    for (let copy = 1; copy < (duplicate?.copies ?? 1); copy += 1)
      copies.push(await sendOnce(request, applied));
    if (mirrored) copies.push(await mirrored);
    return { ...first, copies };
  };

  return {
    deliver: (request) =>
      queues.run(
        request.queueKey,
        async () => {
          const delivery = await send(request);
          request.onResult?.(delivery);
          return delivery;
        },
        () => faults.take('reorder', request.event)?.holdMs,
      ),
    idle: queues.idle,
    close() {
      httpAgents.http.destroy();
      httpAgents.https.destroy();
    },
  };
}

function notSent({ event, url }: DeliveryRequest, reason: string): SentWebhook {
  const error = `not sent: ${reason}`;
  return { event, url, status: null, body: null, latencyMs: 0, error, accepted: false, copies: [] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
