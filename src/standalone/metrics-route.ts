import { type RequestHandler, Router } from 'express';
import type { Metrics } from '../metrics/index.js';

/** `GET /metrics`. It needs no authentication, like the health checks: the numbers hold nothing personal. */
export function metricsRoute(metrics: Metrics): Router {
  return Router().get('/metrics', async (_request, response) => {
    const { contentType, text } = await metrics.expose();
    response.set('content-type', contentType).send(text);
  });
}

/** Counts and times the requests that are neither the receiver's nor a bridge's: both count their own. */
export function countOtherRequests(metrics: Metrics): RequestHandler {
  return ({ path }, response, next) => {
    if (/^\/adapters(?:\/|$)/i.test(path)) return next();
    const isDesk = /^\/desk(?:\/|$)/i.test(path);
    // The desk keeps event streams open for hours, which says nothing about how fast it answers.
    const end = metrics.beginRequest(isDesk ? 'desk' : 'other', { isTimed: !isDesk });
    response.once('finish', () => end(response.statusCode));
    next();
  };
}
