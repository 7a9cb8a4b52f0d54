import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { StoredQueues } from '../delivery/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Connected } from './adapters/index.js';
import { createDatabaseCheck } from './database-check.js';
import { healthRoutes } from './health.js';
import { createHttpLog } from './http-log.js';
import { countAnswers, type Measures, metricsRoute } from './metrics/index.js';

/** What {@link createApp} needs. */
export interface AppParts {
  readonly receiver: Receiver;
  readonly log: Logger;
  /** Where the receiver is; it knows so itself. */
  readonly mountPath: string;
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
export function createApp({ receiver, log, mountPath, measures, adapter, queues }: AppParts): Express {
  const app = express();
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
    metricsRoute({ counted: () => measures.metrics(), queues, pending: () => receiver.stats().pending }),
  );
  app.use(countAnswers(mountPath, (endpoint, status) => measures.answered(endpoint, status)));
  app.use(receiver);
  if (adapter) app.use(adapter.path, adapter.handler);
  app.use(notFound);
  app.use(createErrorAnswer(log));
  return app;
}

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set(SECURITY_HEADERS);
  next();
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
