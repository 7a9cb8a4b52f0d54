import type { RequestHandler } from 'express';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../../protocol/index.js';

/** Where other things than webhooks of the service are. */
const PLACES = { adapters: 'adapter', desk: 'desk' } as const;

const ENDPOINTS = Object.entries(HANDOFF_PATHS) as [WebhookEndpoint, string][];

/** What a request is counted as. */
type EndpointLabel = WebhookEndpoint | 'adapter' | 'desk' | 'other';

/**
 * Makes a function that names the endpoint of a path; `other` for what is none. Only names come out of it, so that
 * no sender can make up a label, and no token gets into one.
 */
export function createEndpointOf(mountPath: string): (path: string) => EndpointLabel {
  const base = mountPath === '/' ? '' : mountPath;
  return (path) => {
    const [, first = ''] = /^\/(adapters|desk)(?:\/|$)/i.exec(path) ?? [];
    const place = Object.entries(PLACES).find(([name]) => name === first.toLowerCase());
    if (place) return place[1];
    const below = path.replace(/\/$/, '');
    if (below === base) return 'message';
    if (!below.startsWith(`${base}/`)) return 'other';
    const rest = below.slice(base.length);
    const found = ENDPOINTS.find(([, end]) => rest === end || rest.replace(/^\/[^/]+/, '') === end);
    return found?.[0] ?? 'other';
  };
}

/** Counts every answer, by endpoint and status. */
export function countAnswers(
  mountPath: string,
  answered: (endpoint: string, status: number) => void,
): RequestHandler {
  const endpointOf = createEndpointOf(mountPath);
  return ({ path }, response, next) => {
    response.once('finish', () => answered(endpointOf(path), response.statusCode));
    next();
  };
}
