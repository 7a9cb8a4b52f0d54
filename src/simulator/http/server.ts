import { createServer, type RequestListener, type Server } from 'node:http';
import { SimulatorError } from '../error.js';

export interface HttpServer {
  /**
   * Starts listening and resolves to the URL. Port 0 (the default) means any free port.
   *
   * @example const baseUrl = await simulator.listen(4000);
   */
  listen: (port?: number, host?: string) => Promise<string>;
  /** The URL while it listens, else `null`. */
  url: () => string | null;
  /**
   * Stops the server and closes every connection.
   *
   * @example await simulator.close()
   */
  close: () => Promise<void>;
}

export function createHttpServer(app: RequestListener): HttpServer {
  let server: Server | null = null;
  let url: string | null = null;

  return {
    url: () => url,
    async listen(port = 0, host = '127.0.0.1') {
      if (server)
        throw new SimulatorError('CANNOT_LISTEN', 'the simulator is already listening; close it first');
      const started = createServer(app);
      server = started;
      try {
        await new Promise<void>((resolve, reject) => {
          started.on('error', reject);
          started.listen(port, host, resolve);
        });
      } catch (error) {
        server = null;
        const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
        const reason = isInUse ? ': the port is in use already' : '';
        const message = `cannot listen on ${host}:${port}${reason}. Choose another port, or 0 for any free one.`;
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
