import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A function that handles HTTP requests: a receiver, an Express app, or your own. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ServedListener {
  /** Such as `http://127.0.0.1:49152`. */
  readonly origin: string;
  /** Stops the server and closes every connection. */
  readonly stop: () => Promise<void>;
}

/** Serves a listener on loopback. Port 0 (the default) means any free port. */
export async function serve(listener: RequestListener, port = 0): Promise<ServedListener> {
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
