import type { IncomingMessage } from 'node:http';
import type { InboundRequest } from '../../bridge/index.js';
import { serve } from '../serve.js';

export interface WebhookSink {
  /** The webhook URL to configure in the helpdesk. */
  readonly url: string;
  /** The recorded requests, oldest first. */
  readonly requests: readonly InboundRequest[];
  /** Calls the listener for every request, including those recorded before. */
  onRequest(listener: (request: InboundRequest) => void): void;
  stop(): Promise<void>;
}

/** Answers every request with 200 at once, so that the helpdesk never waits for a check. */
export async function createWebhookSink(port = 0): Promise<WebhookSink> {
  const requests: InboundRequest[] = [];
  const listeners: ((request: InboundRequest) => void)[] = [];
  const { origin, stop } = await serve((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      answer.writeHead(200).end();
      const request = toInboundRequest(incoming, Buffer.concat(chunks));
      requests.push(request);
      for (const listener of listeners) listener(request);
    });
  }, port);

  return {
    url: `${origin}/`,
    requests,
    onRequest(listener) {
      for (const request of requests) listener(request);
      listeners.push(listener);
    },
    stop,
  };
}

function toInboundRequest(incoming: IncomingMessage, body: Buffer): InboundRequest {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return {
    method: incoming.method ?? 'POST',
    url: incoming.url ?? '/',
    headers: Object.fromEntries(headers),
    body,
    receivedAt: Date.now(),
  };
}

/** Forwards the webhooks of a {@link WebhookSink} to a bridge, one at a time. */
export interface WebhookForwarder {
  /** How many copies of each webhook are sent. Default: 1. */
  copies: number;
  pause(): void;
  /** Forwards the held webhooks, oldest or newest first, then new ones. */
  resume(order?: 'oldest-first' | 'newest-first'): void;
  /** Forwards one request at once and returns the status of the answer. */
  forward(request: InboundRequest): Promise<number>;
  /** The statuses of all answers so far. */
  readonly statuses: readonly number[];
  /** Resolves when no webhook is queued or in flight. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Headers that belong to one connection and are not forwarded. */
const CONNECTION_HEADERS = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** Forwards to the origin of a bridge's webhook. */
export function createWebhookForwarder(webhookSink: WebhookSink, origin: string): WebhookForwarder {
  const queue: InboundRequest[] = [];
  const statuses: number[] = [];
  const stopped = new AbortController();
  let working: Promise<void> | null = null;
  let paused = false;

  const forward = async ({ method, url, headers, body }: InboundRequest): Promise<number> => {
    const forwarded = Object.entries(headers).filter(
      (header): header is [string, string] =>
        header[1] !== undefined && !CONNECTION_HEADERS.includes(header[0]),
    );
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: forwarded,
      body: Uint8Array.from(body),
      signal: stopped.signal,
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  const work = async () => {
    while (!paused && !stopped.signal.aborted) {
      const request = queue.shift();
      if (!request) return;
      for (let copy = 0; copy < forwarder.copies; copy += 1) {
        // Not retried: a stopped process loses webhooks, as with helpdesks that send each once.
        await forward(request).then(
          (status) => statuses.push(status),
          () => {},
        );
      }
    }
  };
  const startWork = () => {
    working ??= work().finally(() => {
      working = null;
      if (queue.length > 0 && !paused && !stopped.signal.aborted) startWork();
    });
  };

  const forwarder: WebhookForwarder = {
    copies: 1,
    pause() {
      paused = true;
    },
    resume(order = 'oldest-first') {
      if (order === 'newest-first') queue.reverse();
      paused = false;
      startWork();
    },
    forward,
    statuses,
    async idle() {
      while (working) await working;
    },
    async stop() {
      stopped.abort();
      await forwarder.idle();
    },
  };
  webhookSink.onRequest((request) => {
    queue.push(request);
    startWork();
  });
  return forwarder;
}
