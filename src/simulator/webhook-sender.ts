import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Clock, sleep } from './clock.js';
import { createConversationQueues } from './conversation-queues.js';
import type { DeliveryEvent, Faults } from './faults.js';
import { credentialHeaders, postJson, type WebhookCredentials, wrongCredentials } from './sending/post.js';
import type { TrafficRecorder } from './traffic.js';

/** What became of one delivery. */
export interface WebhookDelivery {
  readonly event: DeliveryEvent;
  readonly url: string;
  /** The HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** The answer's body: parsed when it is JSON, text otherwise, null when there was none. */
  readonly body: unknown;
  readonly latencyMs: number;
  /** Why there was no answer, in words. */
  readonly error: string | null;
  /** Whether the receiver took it: status 200 and nothing else. */
  readonly accepted: boolean;
  /** What became of the copies that a fault made. */
  readonly copies: readonly WebhookDelivery[];
}

/** A body to be delivered. */
interface DeliveryRequest {
  event: DeliveryEvent;
  url: string;
  body: object;
  credentials: WebhookCredentials;
  timeoutMs: number;
  /** Deliveries of one lane go one after another. */
  queueKey: string;
  /** Asked just before sending: a reason not to send any more. */
  skipReason?: () => string | null;
  /** Told what became of it before the next of the lane is sent. */
  onResult?: (delivery: WebhookDelivery) => void;
}

/** Sends what the service sends, in order, with the faults that are on. */
export interface WebhookSender {
  deliver: (order: DeliveryRequest) => Promise<WebhookDelivery>;
  /** Resolves when nothing is on its way. */
  idle: () => Promise<void>;
  /** Lets go of kept connections. */
  close: () => void;
}

/** Idle connections are let go well before a Node server closes them, so none breaks under a delivery. */
const KEEP_CONNECTION_MS = 1_000;

/** Makes the sender. `signal` ends whatever is on its way. */
export function createWebhookSender(options: {
  clock: Clock;
  faults: Faults;
  traffic: TrafficRecorder;
  signal: AbortSignal;
}): WebhookSender {
  const { clock, faults, traffic, signal } = options;
  const kept = { keepAlive: true, timeout: KEEP_CONNECTION_MS };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  const lanes = createConversationQueues(clock, signal);

  const sendOnce = async (
    order: DeliveryRequest,
    struck: readonly string[],
    change: { url?: string; breakAt?: 'body' | 'answer' } = {},
  ): Promise<WebhookDelivery> => {
    const url = change.url ?? order.url;
    const wrong = struck.includes('wrongCredentials');
    const headers = credentialHeaders(wrong ? wrongCredentials(order.credentials) : order.credentials);
    const payload = JSON.stringify(order.body);
    const exchange = traffic.open({
      direction: 'sent',
      what: order.event,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: payload,
      faults: struck,
    });
    const { timeoutMs } = order;
    const breakAt = change.breakAt ? { breakAt: change.breakAt } : {};
    const result = await postJson({ url, payload, headers, timeoutMs, signal, agents, ...breakAt });
    if (result.status === null) exchange.failed(result.error ?? 'failed');
    else exchange.answered(result.status, result.headers, result.text);
    return {
      event: order.event,
      url,
      status: result.status,
      body: result.status === null ? null : parsed(result.text),
      latencyMs: result.latencyMs,
      error: result.error,
      accepted: result.status === 200,
      copies: [],
    };
  };

  const send = async (order: DeliveryRequest): Promise<WebhookDelivery> => {
    const reason = order.skipReason?.();
    if (reason) return notSent(order, reason);
    const { event } = order;
    const delay = faults.take('delay', event);
    const wrong = faults.take('wrongCredentials', event);
    const drop = faults.take('drop', event);
    const mirror = faults.take('mirror', event);
    const duplicate = faults.take('duplicate', event);
    const struck = Object.entries({ delay, wrongCredentials: wrong, drop, mirror, duplicate })
      .filter(([, fault]) => fault)
      .map(([name]) => name);

    if (delay) await sleep(clock, delay.delayMs, signal);
    const mirrored = mirror ? sendOnce(order, struck, { url: mirror.url }) : undefined;
    const dropped = drop ? await sendOnce(order, struck, { breakAt: drop.at }) : undefined;
    const first = dropped && !drop?.resend ? dropped : await sendOnce(order, struck);
    const copies = dropped && dropped !== first ? [dropped] : [];
    for (let copy = 1; copy < (duplicate?.copies ?? 1); copy += 1) copies.push(await sendOnce(order, struck));
    if (mirrored) copies.push(await mirrored);
    return { ...first, copies };
  };

  return {
    deliver: (order) =>
      lanes.run(
        order.queueKey,
        async () => {
          const delivery = await send(order);
          order.onResult?.(delivery);
          return delivery;
        },
        () => faults.take('reorder', order.event)?.holdMs,
      ),
    idle: lanes.idle,
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function notSent({ event, url }: DeliveryRequest, reason: string): WebhookDelivery {
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
