import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler } from 'express';
import type { Simulator } from '../../simulator/index.js';
import { listen } from '../../standalone/index.js';

/** What a browser opens: the page of the demo, with the customer and the desk in it. */
export interface Front {
  /** Where it is. */
  readonly url: string;
  /** Where the simulated service is. */
  readonly serviceUrl: string;
  /** Puts the desk into it. */
  show(desk: RequestHandler): void;
  close(): Promise<void>;
}

const PAGE_ROOT = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = ['index.html', 'demo.css', 'demo.js'];

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Serves both sides from one address, so that one page can show them. */
export async function openFront(simulator: Simulator, port: number): Promise<Front> {
  const app = express();
  app.disable('x-powered-by');
  let desk: RequestHandler | undefined;
  app.use('/service', simulator.app);
  app.use('/desk', (request, response, next) => (desk ? desk(request, response, next) : next()));
  for (const file of PAGE_FILES) {
    app.get(file === 'index.html' ? '/' : `/${file}`, (_request, response) => {
      response.set(HEADERS).sendFile(file, { root: PAGE_ROOT, cacheControl: false });
    });
  }
  const server = createServer(app);
  const url = await listen(server, port, '127.0.0.1');

  return {
    url,
    serviceUrl: `${url}/service`,
    show(handler) {
      desk = handler;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
