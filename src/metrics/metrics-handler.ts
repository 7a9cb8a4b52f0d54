import type { IncomingMessage, ServerResponse } from 'node:http';
import { collectMetrics, type MeasuredReceiver, type MetricsOptions } from './collect.js';

/** Answers with the metrics: a request handler for Express or `http.createServer`, and one for Fetch. */
export interface MetricsHandler {
  (request: IncomingMessage, response: ServerResponse, next?: unknown): void;
  /** The same for Fetch. */
  fetch(request?: Request): Promise<Response>;
}

/**
 * Creates the endpoint that Prometheus scrapes: requests, events, handler runs, replies and queues of a receiver. It
 * counts from this call on, until the receiver has closed. It needs no credentials, since the numbers hold nothing
 * personal; restrict it as you restrict the rest of your app.
 *
 * @example
 * app.get('/metrics', metricsHandler(receiver));
 */
export function metricsHandler(receiver: MeasuredReceiver, options?: MetricsOptions): MetricsHandler {
  const metrics = collectMetrics(receiver, options);

  const respond = async (response: ServerResponse): Promise<void> => {
    const { contentType, text } = await metrics.expose();
    response.setHeader('content-type', contentType);
    response.end(text);
  };
  const handler = (_request: IncomingMessage, response: ServerResponse): void => {
    respond(response).catch(() => {
      if (!response.headersSent) response.statusCode = 500;
      response.end();
    });
  };
  const fetch = async (): Promise<Response> => {
    const { contentType, text } = await metrics.expose();
    return new Response(text, { headers: { 'content-type': contentType } });
  };
  return Object.assign(handler, { fetch });
}
