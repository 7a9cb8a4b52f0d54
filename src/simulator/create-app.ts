import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import { SERVICE_CODES, SERVICE_PATHS } from '../protocol/index.js';
import type { ServiceEndpoint } from './faults.js';
import type { SimulatorLog } from './log.js';

const ROUTES: readonly (readonly ['get' | 'post' | 'put', ServiceEndpoint])[] = [
  ['post', 'addQa'],
  ['put', 'updateQa'],
  ['post', 'checkWebhooks'],
  ['get', 'health'],
  ['post', 'reply'],
  ['post', 'close'],
];

/** Puts the service's endpoints and the page into one Express app. */
export function createApp(options: {
  handlers: Readonly<Record<ServiceEndpoint, RequestHandler>>;
  page: Router;
  openapi: object | undefined;
  log: SimulatorLog;
}): Express {
  const { handlers, openapi, log } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  for (const [method, name] of ROUTES) {
    app[method](SERVICE_PATHS[name], handlers[name]);
    app.all(SERVICE_PATHS[name], (_request, response) => {
      const allow = method.toUpperCase();
      response
        .status(405)
        .set('allow', allow)
        .json(wrongRequest(`expected the method ${allow}`));
    });
  }
  if (openapi) {
    app.get('/openapi.json', (_request, response) => {
      response.json(openapi);
    });
  }
  app.use(options.page);
  app.use((_request, response) => {
    response.status(404).json(wrongRequest('there is no such endpoint'));
  });

  const lastResort: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    if (status < 500) {
      response.status(status).json(wrongRequest('this request cannot be read'));
      return;
    }
    log.error({ err: error }, 'a request failed');
    response.status(500).json({ code: SERVICE_CODES.INTERNAL_ERROR, message: 'Internal system error' });
  };
  app.use(lastResort);
  return app;
}

function wrongRequest(detail: string) {
  return { code: SERVICE_CODES.PARAMETER_ERROR, message: `Parameter error: ${detail}` };
}

/** Express marks what the caller did wrong, such as a malformed URL, with a status below 500. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : 500;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
