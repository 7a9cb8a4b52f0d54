import { Router } from 'express';
import type { QueueAdmin } from '../delivery/index.js';
import { type Log, settlesWithin } from '../internal/index.js';

/** Resolves to whether the database can be reached and written. */
export type DatabaseCheck = () => Promise<boolean>;

/** Load balancers give up after a few seconds, so a slower database counts as unreachable. */
const DATABASE_TIMEOUT_MS = 2_000;

/**
 * Creates the database check of `/readyz`. Concurrent calls share one query, so that a database that hangs is not
 * flooded. The log tells when the result changes.
 */
export function createDatabaseCheck(
  queues: Pick<QueueAdmin, 'check'>,
  log: Log,
  timeoutMs = DATABASE_TIMEOUT_MS,
): DatabaseCheck {
  let running: Promise<boolean> | undefined;
  let wasUsable = true;

  const report = (isUsable: boolean, err?: unknown): boolean => {
    if (wasUsable && !isUsable) log.error({ err }, 'the database cannot be used: not ready');
    if (!wasUsable && isUsable) log.info({}, 'the database can be used again');
    wasUsable = isUsable;
    return isUsable;
  };

  const query = async (): Promise<boolean> => {
    try {
      await queues.check();
      return report(true);
    } catch (error) {
      return report(false, error);
    } finally {
      running = undefined;
    }
  };

  return async () => {
    running ??= query();
    const result = running;
    return (await settlesWithin(result, timeoutMs)) ? result : report(false);
  };
}

export interface HealthParts {
  /** Whether new requests should come here; `false` from the signal to stop on. */
  readonly isAccepting: () => boolean;
  /** Whether stored events are handled. */
  readonly isStarted: () => boolean;
  /** `null` without a database. */
  readonly checkDatabase: DatabaseCheck | null;
  /** Whether the helpdesk answers, as far as known. */
  readonly isHelpdeskAvailable: () => boolean;
}

/**
 * `GET /healthz` answers 200 while the process runs. `GET /readyz` answers 200 while the receiver accepts requests,
 * and 503 with the reason from the signal to stop on and while the database is unreachable. A helpdesk that does
 * not answer is named, but the receiver stays ready: events are stored, and delivered afterwards.
 */
export function healthRoutes(parts: HealthParts): Router {
  return Router()
    .get('/healthz', (_request, response) => {
      response.json({ status: 'alive' });
    })
    .get('/readyz', async (_request, response) => {
      const reason = await notReadyReason(parts);
      response.status(reason === null ? 200 : 503).json({
        status: reason ?? 'ready',
        ...(!parts.isHelpdeskAvailable() && { helpdesk: 'unavailable' }),
      });
    });
}

async function notReadyReason({
  isAccepting,
  isStarted,
  checkDatabase,
}: HealthParts): Promise<string | null> {
  if (!isAccepting()) return 'draining';
  if (checkDatabase && !(await checkDatabase())) return 'database unreachable';
  return isStarted() ? null : 'not started';
}
