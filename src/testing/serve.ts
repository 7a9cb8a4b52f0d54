import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { TestBenchError } from './test-bench.js';

/** Takes requests: a receiver, an Express app, or a function of your own. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A listener that takes requests on a port of its own. */
export interface Served {
  /** Such as `http://127.0.0.1:49152`. */
  readonly origin: string;
  /** Stops, and breaks whatever connection is left. */
  stop(): Promise<void>;
}

/** Starts a listener on a free port of this machine. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new TestBenchError('INVALID_RECEIVER', 'the server of the receiver has no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
