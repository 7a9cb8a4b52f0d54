import { createServer, type IncomingMessage } from 'node:http';
import type { InboundRequest } from '../../bridge/index.js';
import { listenOn } from './listen-on.js';

/** Takes what a system sends to its webhook, as it came. */
export interface Mailbox {
  /** What to give the system as the address of its webhook. */
  readonly url: string;
  /** What came, oldest first. */
  readonly requests: readonly InboundRequest[];
  /** Hears of everything that comes, and first of what has come already. */
  each(listener: (request: InboundRequest) => void): void;
  stop(): Promise<void>;
}

/** Starts a mailbox. It answers 200 at once, whatever comes: systems do not wait for what becomes of it. */
export async function createMailbox(port = 0): Promise<Mailbox> {
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
    each(listener) {
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
