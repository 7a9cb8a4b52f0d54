import { Router } from 'express';
import type { DatabaseCheck } from './database-check.js';

/** Where health and metrics are told. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

/** What {@link healthRoutes} needs. */
export interface HealthParts {
  /** Whether requests are taken: `false` once it has begun to stop. */
  readonly isAccepting: () => boolean;
  /** Absent where nothing is stored. */
  readonly checkDatabase: DatabaseCheck | null;
}

/** What stands in the way of requests; `null` when nothing does. */
async function obstacle({ isAccepting, checkDatabase }: HealthParts): Promise<string | null> {
  if (!isAccepting()) return 'draining';
  return checkDatabase === null || (await checkDatabase()) ? null : 'database unreachable';
}

/**
 * `/healthz`: the process lives. `/readyz`: it takes requests; 503 once it has begun to stop, and while the
 * database cannot be reached.
 */
export function healthRoutes(parts: HealthParts): Router {
  return Router()
    .get('/healthz', (_request, response) => {
      response.json({ status: 'alive' });
    })
    .get('/readyz', async (_request, response) => {
      const problem = await obstacle(parts);
      response.status(problem === null ? 200 : 503).json({ status: problem ?? 'ready' });
    });
}
