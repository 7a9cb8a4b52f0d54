import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler } from 'express';
import type { AgentInput, HostSession } from '../../desk/index.js';
import type { Simulator } from '../../simulator/index.js';
import { listen } from '../../standalone/index.js';
import { TOUR } from './tour.js';

/** The server of the page that shows the customer, the desk and the requests between them. */
export interface PageServer {
  readonly url: string;
  /** The base URL of the simulated platform. */
  readonly platformUrl: string;
  /** The agent of a request that came through this server; requests to the receiver have none. */
  readonly agentOf: HostSession;
  /** Adds the desk, which starts later. */
  showDesk(desk: RequestHandler): void;
  close(): Promise<void>;
}

/**
 * Two, so that a transfer and two agents in one conversation can be tried. Each has a path, and so a cookie, of their
 * own: one browser can be both.
 */
const AGENTS: Readonly<Record<string, AgentInput>> = {
  '/desk': { id: 'you', name: 'You', role: 'administrator' },
  '/colleague': { id: 'ann', name: 'Ann', role: 'agent' },
};

const PAGE_ROOT = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = [
  'index.html',
  'demo.css',
  'desk-frame.css',
  'demo.js',
  'requests.js',
  'tour.js',
  'dom.js',
];

const PAGE_HEADERS = {
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
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A name that another site made point here (DNS rebinding) is not a name of this machine. */
const isLocalHost = ({ headers }: Request): boolean =>
  LOOPBACK.has((headers.host ?? '').toLowerCase().replace(/:\d+$/, ''));

/** Whether a request comes from the demo's own page or from the address bar, and not from another site. */
function isOwnRequest({ headers }: Request): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  const isOwnOrigin = origin === undefined || origin === `http://${host}`;
  return isOwnOrigin && (site === undefined || site === 'same-origin' || site === 'none');
}

/** A link on another site may open the page, and nothing else: whoever opens the desk is logged in there. */
const requireOwnPage: RequestHandler = (request, response, next) => {
  const isLink = request.path === '/' && request.get('sec-fetch-dest') === 'document';
  if (isLocalHost(request) && (isLink || isOwnRequest(request))) return next();
  const text = `Open the demo's page in a browser on this machine: http://127.0.0.1:${request.socket.localPort}\n`;
  response.status(403).type('text').send(text);
};

/** Lets the demo's page frame the desk, whose headers refuse all frames. */
const allowOwnFrames: RequestHandler = (_request, response, next) => {
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) =>
    setHeader(name, typeof value === 'string' ? framedBySelf(value) : value);
  next();
};

const framedBySelf = (header: string): string =>
  header.replace(/^DENY$/, 'SAMEORIGIN').replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/** Serves platform and desk from one origin, so that one page can show both. */
export async function openPageServer(simulator: Simulator, port: number): Promise<PageServer> {
  const app = express();
  app.disable('x-powered-by');
  let desk: RequestHandler | undefined;
  const agents = new WeakMap<Request, AgentInput>();
  // The simulator protects its page itself. Its API is called by the receiver.
  app.use('/platform', simulator.app);
  app.use(requireOwnPage);
  for (const [path, agent] of Object.entries(AGENTS)) {
    app.use(path, allowOwnFrames, (request, response, next) => {
      agents.set(request, agent);
      if (desk) desk(request, response, next);
      else next();
    });
  }
  app.get('/tour.json', (_request, response) => void response.set(PAGE_HEADERS).json(TOUR));
  for (const file of PAGE_FILES) {
    app.get(file === 'index.html' ? '/' : `/${file}`, (_request, response) => {
      response.set(PAGE_HEADERS).sendFile(file, { root: PAGE_ROOT, cacheControl: false });
    });
  }
  const server = createServer(app);
  const url = await listen(server, port, '127.0.0.1');

  return {
    url,
    platformUrl: `${url}/platform`,
    agentOf: (request) => agents.get(request) ?? null,
    showDesk(handler) {
      desk = handler;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
