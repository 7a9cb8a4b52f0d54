import type { RequestHandler } from 'express';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../../protocol/index.js';

const ENDPOINTS = Object.entries(HANDOFF_PATHS) as [WebhookEndpoint, string][];

/**
 * Makes a function that names the endpoint of a path; `other` for what is none. Only names come out of it, so that
 * no sender can make up a label, and no token gets into one.
 */
export function createEndpointOf(mountPath: string): (path: string) => WebhookEndpoint | 'other' {
  const base = mountPath === '/' ? '' : mountPath;
  return (path) => {
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
