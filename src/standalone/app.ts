import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Delivery } from '../delivery/index.js';
import type { Metrics } from '../metrics/index.js';
import type { Receiver } from '../receiver/index.js';
import type { ConnectedAdapter } from './connect-adapter.js';
import { createDatabaseCheck, healthRoutes } from './health.js';
import { createHttpLog } from './http-log.js';
import type { Settings } from './settings/settings-schema.js';

/** The parts of the app. */
export interface AppParts {
  readonly receiver: Receiver;
  readonly log: Logger;
  /** The receiver's base path, for log lines; the receiver matches it itself. */
  readonly mountPath: string;
  readonly trustProxy: Settings['trustProxy'];
  readonly metrics: Metrics;
  /** None without agents. */
  readonly adapters: readonly ConnectedAdapter[];
  /** `null` for inline delivery. */
  readonly delivery: Delivery | null;
  /** Whether the program has been told to stop. It accepts requests until the receiver closes. */
  readonly isStopping: () => boolean;
}

/** All answers are for programs: browsers must not sniff, cache or frame them. The desk sets its own headers. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Creates the Express app: log, health, metrics, receiver, adapter, and a JSON answer to everything else. */
export function createApp(parts: AppParts): Express {
  const { receiver, log, mountPath, trustProxy, metrics, adapters, delivery, isStopping } = parts;
  const queues = delivery?.queues ?? null;
  const app = express();
  app.set('trust proxy', trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(createHttpLog(log, mountPath));
  app.use(securityHeaders);
  app.use(closeConnectionsWhen(isStopping));
  app.use(
    healthRoutes({
      isAccepting: () => receiver.accepting && !isStopping(),
      isStarted: () => receiver.started,
      checkDatabase: queues && createDatabaseCheck(queues, log),
      isHelpdeskAvailable: () => adapters.every((adapter) => adapter.isAvailable()),
    }),
  );
  app.use(metricsRoute(metrics));
  app.use(receiver);
  app.use(countOtherRequests(metrics));
  for (const { path, handler } of adapters) app.use(path, refuseDuringShutdown(receiver), handler);
  app.use(notFound);
  app.use(createErrorHandler(log));
  return app;
}

/** `GET /metrics`. It needs no authentication, like the health checks: the numbers hold nothing personal. */
function metricsRoute(metrics: Metrics): Router {
  return Router().get('/metrics', async (_request, response) => {
    const { contentType, text } = await metrics.expose();
    response.set('content-type', contentType).send(text);
  });
}

/** Counts and times the requests that are neither the receiver's nor a bridge's: both count their own. */
function countOtherRequests(metrics: Metrics): RequestHandler {
  return ({ path }, response, next) => {
    if (/^\/adapters(?:\/|$)/i.test(path)) return next();
    const isDesk = /^\/desk(?:\/|$)/i.test(path);
    // The desk keeps event streams open for hours, which says nothing about how fast it answers.
    const end = metrics.beginRequest(isDesk ? 'desk' : 'other', { isTimed: !isDesk });
    response.once('finish', () => end(response.statusCode));
    next();
  };
}

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set(SECURITY_HEADERS);
  next();
};

/** A proxy must not send its next request on a connection that is about to be closed. */
const closeConnectionsWhen =
  (isStopping: () => boolean): RequestHandler =>
  (_request, response, next) => {
    if (isStopping()) response.set('connection', 'close');
    next();
  };

/** During the shutdown nothing can be stored, so neither agents' actions nor webhooks are accepted. */
const refuseDuringShutdown =
  (receiver: Pick<Receiver, 'accepting'>): RequestHandler =>
  (_request, response, next) => {
    if (receiver.accepting) return next();
    response.set({ 'retry-after': '5', connection: 'close' });
    response.status(503).json({ code: 503, message: 'shutting down' });
  };

const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ code: 404, message: 'not found' });
};

function createErrorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    log.error({ requestId: request.id, err: error }, 'a request failed');
    if (response.headersSent) return next(error);
    response.status(500).json({ code: 500, message: 'internal error' });
  };
}
