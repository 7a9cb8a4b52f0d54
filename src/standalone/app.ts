import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { StoredQueues } from '../delivery/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Connected } from './adapters/index.js';
import { createDatabaseCheck } from './database-check.js';
import { healthRoutes } from './health.js';
import { createHttpLog } from './http-log.js';
import { adapterMetrics, countAnswers, type Measures, metricsRoute } from './metrics/index.js';
import type { TrustProxy } from './trust-proxy.js';

/** What {@link createApp} needs. */
export interface AppParts {
  readonly receiver: Receiver;
  readonly log: Logger;
  /** Where the receiver is; it knows so itself. */
  readonly mountPath: string;
  /** Whose word is taken on where a request comes from. */
  readonly trustProxy: TrustProxy;
  readonly measures: Measures;
  /** Where humans answer; `null` where they do not. */
  readonly adapter: Connected | null;
  /** What is stored; `null` where nothing is. */
  readonly queues: StoredQueues | null;
}

/** Answers are for programs: no browser is to guess at them, keep them, or show them in a frame. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The Express app: log, health, metrics, receiver, and a JSON answer to everything else. */
export function createApp(parts: AppParts): Express {
  const { receiver, log, mountPath, trustProxy, measures, adapter, queues } = parts;
  const app = express();
  app.set('trust proxy', trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(createHttpLog(log, mountPath));
  app.use(securityHeaders);
  app.use(
    healthRoutes({
      isAccepting: () => receiver.accepting,
      checkDatabase: queues && createDatabaseCheck(queues, log),
    }),
  );
  app.use(
    metricsRoute({
      counted: () => [
        ...measures.metrics(),
        ...(adapter ? adapterMetrics(adapter.name, adapter.stats()) : []),
      ],
      queues,
      pending: () => receiver.stats().pending,
    }),
  );
  app.use(countAnswers(mountPath, (endpoint, status) => measures.answered(endpoint, status)));
  app.use(receiver);
  if (adapter) app.use(adapter.path, whileAccepting(receiver), adapter.handler);
  app.use(notFound);
  app.use(createErrorAnswer(log));
  return app;
}

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set(SECURITY_HEADERS);
  next();
};

/** Once it stops, nothing can be stored any more: neither what agents write nor what their system tells. */
const whileAccepting =
  (receiver: Pick<Receiver, 'accepting'>): RequestHandler =>
  (_request, response, next) => {
    if (receiver.accepting) return next();
    response.set({ 'retry-after': '5', connection: 'close' });
    response.status(503).json({ code: 503, message: 'shutting down' });
  };

const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ code: 404, message: 'not found' });
};

function createErrorAnswer(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    log.error({ requestId: request.id, err: error }, 'a request failed');
    if (response.headersSent) return next(error);
    response.status(500).json({ code: 500, message: 'internal error' });
  };
}
