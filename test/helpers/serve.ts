import { createServer, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import type { RequestListener } from '../../src/public/bindings.js';
import type { Receiver } from '../../src/public/index.js';

/** A running HTTP server. */
export interface Served {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** Stops it and closes every connection. */
  end(): Promise<void>;
}

/** Starts a server on a free port, for tests that share one. */
export async function listen(listener: RequestListener): Promise<Served> {
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a server that stops with the current test. */
export async function serve(listener: RequestListener): Promise<Served> {
  const served = await listen(listener);
  onTestFinished(() => served.end());
  return served;
}

/** A listener that passes requests to other paths than the receiver's on to an app. */
export const inFrontOf =
  (receiver: Receiver, app: RequestListener): RequestListener =>
  (request, response) =>
    receiver(request, response, () => app(request, response));
