import { Router } from 'express';

/** Where health is told. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

/** `/healthz`: the process lives. `/readyz`: it takes requests; 503 once it has begun to stop. */
export function healthRoutes(isReady: () => boolean): Router {
  return Router()
    .get('/healthz', (_request, response) => {
      response.json({ status: 'alive' });
    })
    .get('/readyz', (_request, response) => {
      if (isReady()) response.json({ status: 'ready' });
      else response.status(503).json({ status: 'draining' });
    });
}
