import { createServer, type IncomingMessage } from 'node:http';
import type { InboundRequest } from '../../bridge/index.js';
import { listenOn } from './listen-on.js';

/** Takes what a system sends to its webhook, as it came. */
export interface WebhookSink {
  /** What to give the system as the address of its webhook. */
  readonly url: string;
  /** What came, oldest first. */
  readonly requests: readonly InboundRequest[];
  /** Hears of everything that comes, and first of what has come already. */
  onRequest(listener: (request: InboundRequest) => void): void;
  stop(): Promise<void>;
}

/** Starts a webhookSink. It answers 200 at once, whatever comes: systems do not wait for what becomes of it. */
export async function createWebhookSink(port = 0): Promise<WebhookSink> {
  const requests: InboundRequest[] = [];
  const listeners: ((request: InboundRequest) => void)[] = [];
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      answer.writeHead(200).end();
      const request = inboundOf(incoming, Buffer.concat(chunks));
      requests.push(request);
      for (const listener of listeners) listener(request);
    });
  });
  const listening = await listenOn(server, port);

  return {
    url: `http://127.0.0.1:${listening}/`,
    requests,
    onRequest(listener) {
      for (const request of requests) listener(request);
      listeners.push(listener);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function inboundOf(incoming: IncomingMessage, body: Buffer): InboundRequest {
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

/** Carries a system's webhooks on, one after another, as a network might. */
export interface WebhookForwarder {
  /** How often each is carried. Normally once. */
  copies: number;
  /** From now on nothing is carried. */
  pause(): void;
  /** Carries what was paused, and what comes. */
  resume(): void;
  /** Carries one request at once, and gives the status of the answer. */
  forward(request: InboundRequest): Promise<number>;
  /** The statuses of the answers so far. */
  readonly statuses: readonly number[];
  /** Resolves when what came has been carried. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** What belongs to one connection and not to the request. */
const OF_THE_CONNECTION = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** Makes a forwarder from a webhookSink to the address of a webhook. */
export function createWebhookForwarder(webhookSink: WebhookSink, origin: string): WebhookForwarder {
  const waiting: InboundRequest[] = [];
  const statuses: number[] = [];
  const stopped = new AbortController();
  let working: Promise<void> | null = null;
  let paused = false;

  const forward = async ({ method, url, headers, body }: InboundRequest): Promise<number> => {
    const own = Object.entries(headers).filter(
      (header): header is [string, string] =>
        header[1] !== undefined && !OF_THE_CONNECTION.includes(header[0]),
    );
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: own,
      body: Uint8Array.from(body),
      signal: stopped.signal,
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  const work = async () => {
    while (!paused && !stopped.signal.aborted) {
      const request = waiting.shift();
      if (!request) return;
      for (let copy = 0; copy < forwarder.copies; copy += 1) {
        // A process that is down loses what comes meanwhile, as with systems that try once.
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
      if (waiting.length > 0 && !paused && !stopped.signal.aborted) startWork();
    });
  };

  const forwarder: WebhookForwarder = {
    copies: 1,
    pause() {
      paused = true;
    },
    resume() {
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
    waiting.push(request);
    startWork();
  });
  return forwarder;
}
