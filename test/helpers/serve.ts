import { createServer, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import type { RequestListener } from '../../src/index.js';

/** A server on a port of its own. */
export interface Served {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** Ends it, with all its connections. */
  end(): Promise<void>;
}

/** Starts a server, for tests that share one. */
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

/** Starts a server that ends with the test that is running. */
export async function serve(listener: RequestListener): Promise<Served> {
  const served = await listen(listener);
  onTestFinished(() => served.end());
  return served;
}
