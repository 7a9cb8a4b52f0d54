import { createServer, type Server } from 'node:http';
import type { Express } from 'express';
import { SimulatorError } from '../error.js';

/** A server that can be opened once and closed. */
export interface HttpServer {
  /** Listens, and resolves with the URL. Port 0 takes any free one. */
  listen: (port?: number, host?: string) => Promise<string>;
  /** Where it listens; null before and after. */
  url: () => string | null;
  /** Stops, and breaks whatever connection is left. */
  close: () => Promise<void>;
}

/** Makes the listener of an app. */
export function createHttpServer(app: Express): HttpServer {
  let server: Server | null = null;
  let url: string | null = null;

  return {
    url: () => url,
    async listen(port = 0, host = '127.0.0.1') {
      if (server) throw new SimulatorError('CANNOT_LISTEN', 'the simulator listens already; close it first');
      const started = createServer(app);
      server = started;
      try {
        await new Promise<void>((resolve, reject) => {
          started.on('error', reject);
          started.listen(port, host, resolve);
        });
      } catch (error) {
        server = null;
        const message = `cannot listen on ${host}:${port}; choose another port, or 0 for any free one`;
        throw new SimulatorError('CANNOT_LISTEN', message, { cause: error });
      }
      const address = started.address();
      if (address === null || typeof address === 'string')
        throw new SimulatorError('CANNOT_LISTEN', 'expected a port');
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      url = `http://${name}:${address.port}`;
      return url;
    },
    async close() {
      const closing = server;
      server = null;
      url = null;
      if (!closing) return;
      await new Promise<void>((resolve) => {
        closing.close(() => resolve());
        closing.closeAllConnections();
      });
    },
  };
}
